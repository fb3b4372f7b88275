// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/man.h"
#include "report/status.h"

static const char exit_status[] = "Exit status";

/* Characters that roff takes for something else, or prints otherwise than on a keyboard. */
static void put_char(char c)
{
	switch (c) {
	case '\\':
		fputs("\\e", stdout);
		break;
	case '-':
		fputs("\\-", stdout);
		break;
	case '\'':
		fputs("\\(aq", stdout);
		break;
	case '`':
		fputs("\\(ga", stdout);
		break;
	case '^':
		fputs("\\(ha", stdout);
		break;
	case '~':
		fputs("\\(ti", stdout);
		break;
	default:
		putchar(c);
	}
}

static bool ends_sentence(const char *text, const char *end)
{
	return end - text > 2 && text[0] == '.' && text[1] == ' ' &&
	       isupper((unsigned char)text[2]);
}

/* A line of its own for each sentence, as roff wants it. */
static void put_text(const char *text, const char *end)
{
	bool begins = true;

	for (; text < end; text++) {
		if (begins && *text == '.')
			fputs("\\&", stdout);
		begins = ends_sentence(text, end);
		if (begins)
			text++;
		if (begins)
			fputs(".\n", stdout);
		else if (*text == '\n')
			putchar(' ');
		else
			put_char(*text);
	}
	putchar('\n');
}

/* Paragraphs have an empty line between them; the first of a section is not set off from it. */
static void put_paragraphs(const char *text, const char *end, bool is_first)
{
	for (; text < end; is_first = false) {
		const char *gap = memmem(text, (size_t)(end - text), "\n\n", 2);
		const char *stop = gap ? gap : end;

		if (!is_first)
			fputs(".PP\n", stdout);
		put_text(text, stop);
		text = gap ? gap + 2 : end;
	}
}

static bool is_of_word(const char *text)
{
	return strncmp(text, "...", 3) != 0 && *text && !strchr(" []|", *text);
}

/* READER... [FILE.ini]: what stands for something is set apart from what is typed as it is. */
static void put_arguments(const char *text)
{
	while (*text) {
		size_t length = 0;
		bool stands_for_something = false;

		for (; is_of_word(text + length); length++)
			stands_for_something |= isupper((unsigned char)text[length]) != 0;
		if (length)
			fputs(stands_for_something ? "\\fI" : "\\fB", stdout);
		for (size_t i = 0; i < length; i++)
			put_char(text[i]);
		if (length)
			fputs("\\fR", stdout);
		text += length;
		while (*text && !is_of_word(text))
			put_char(*text++);
	}
}

static void put_option(const struct argp_option *option)
{
	fputs(".TP\n", stdout);
	if (option->key > ' ' && option->key < 0x7f)
		printf("\\fB\\-%c\\fR, ", option->key);
	fputs("\\fB\\-\\-", stdout);
	for (const char *c = option->name; *c; c++)
		put_char(*c);
	fputs("\\fR", stdout);
	if (option->arg) {
		putchar('=');
		put_arguments(option->arg);
	}
	putchar('\n');
	put_text(option->doc, option->doc + strlen(option->doc));
}

static void put_options(const struct argp_option *option)
{
	fputs(".SH OPTIONS\n", stdout);
	for (; option->name || option->doc; option++) {
		if (option->name) {
			put_option(option);
			continue;
		}
		fputs(".SS ", stdout);
		for (const char *c = option->doc; *c && *c != ':'; c++)
			put_char(*c);
		putchar('\n');
	}
}

/* Where in "0 well; 1 usage" the next status begins. */
static const char *next_status(const char *text, const char *end)
{
	while ((text = memmem(text, (size_t)(end - text), "; ", 2)) != NULL) {
		text += 2;
		if (text < end && isdigit((unsigned char)*text))
			return text;
	}
	return NULL;
}

static void put_status(const char *text, const char *end)
{
	printf(".TP\n\\fB");
	for (; text < end && isdigit((unsigned char)*text); text++)
		putchar(*text);
	printf("\\fR\n");
	put_text(text + strspn(text, " "), end);
}

/* "Exit status, of something: 0 well; 1 usage." */
static void put_exit_status(const char *text)
{
	const char *colon = strchr(text, ':');
	const char *end = text + strlen(text);

	fputs(".SH EXIT STATUS\n", stdout);
	if (colon && text[strlen(exit_status)] == ',') {
		fputs("The exit status", stdout);
		put_text(text + strlen(exit_status), colon + 1);
	}
	for (text = colon ? colon + 2 : end; text < end;) {
		const char *next = next_status(text, end);
		const char *last = next ? next - 2 : end;

		if (!next && last[-1] == '.')
			last--;
		put_status(text, last);
		text = next ? next : end;
	}
}

static void put_description(const char *doc, const char *status)
{
	const char *after = strchr(doc, '\v');
	const char *end = status ? status : doc + strlen(doc);

	fputs(".SH DESCRIPTION\n", stdout);
	put_paragraphs(doc, after ? after : end, true);
	while (after && end > after + 1 && isspace((unsigned char)end[-1]))
		end--;
	if (after)
		put_paragraphs(after + 1, end, false);
}

static void put_title(const char *command)
{
	fputs(".TH CONTEND", stdout);
	if (command)
		fputs("\\-", stdout);
	for (; command && *command; command++)
		putchar(toupper((unsigned char)*command));
	printf(" 1 \"\" \"contend " CONTEND_VERSION "\" \"contend\"\n"
	       ".nh\n.ad l\n");
}

void man_begin(const struct command *command)
{
	put_title(command->name);
	printf(".SH NAME\ncontend\\-%s \\- ", command->name);
	put_text(command->summary, command->summary + strlen(command->summary));
}

void man_tell(const struct argp *argp, const char *name)
{
	const char *status = strstr(argp->doc, exit_status);

	printf(".SH SYNOPSIS\n.B %s\n[\\fIOPTION\\fR...]\n", name);
	if (argp->args_doc) {
		put_arguments(argp->args_doc);
		putchar('\n');
	}
	put_description(argp->doc, status);
	put_options(argp->options);
	if (status)
		put_exit_status(status);
}

static void put_commands(void)
{
	fputs(".SH COMMANDS\n", stdout);
	for (size_t i = 0; i < command_count; i++) {
		printf(".TP\n.BR contend\\-%s (1)\n", commands[i].name);
		put_text(commands[i].summary, commands[i].summary + strlen(commands[i].summary));
	}
}

int man_print_whole(void)
{
	put_title(NULL);
	fputs(".SH NAME\n"
	      "contend \\- a laboratory for read paths that are guarded by a sequence counter\n"
	      ".SH SYNOPSIS\n.B contend\n[\\fICOMMAND\\fR] [\\fIOPTION\\fR...]\n"
	      ".SH DESCRIPTION\n",
	      stdout);
	put_commands();
	fputs(".SH OPTIONS\n"
	      "Without a command those of\n.BR contend\\-run (1);\nand alone:\n"
	      ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"
	      "Print the commands, and the options of run.\n"
	      ".TP\n\\fB\\-\\-version\\fR\n"
	      "Print what contend was built from, and what of it can be had on this machine.\n",
	      stdout);
	return STATUS_WELL;
}
