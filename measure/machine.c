// SPDX-License-Identifier: GPL-2.0-or-later
#include <hwloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "measure/cpu_set.h"
#include "measure/hw_counters.h"
#include "measure/machine.h"

#define STEAL_TICKS_PER_SEC 100

/* Reads the beginning of a file as a string. False, and an empty string, if it has none. */
static bool read_text(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t length = 0;

	if (file) {
		length = fread(text, 1, size - 1, file);
		fclose(file);
	}
	text[length] = '\0';
	return length > 0;
}

/* Takes the value of the first line "key : value". False, and *value as it was, without one. */
static bool find_field(const char *text, const char *key, char *value, size_t size)
{
	const char *line = text;

	while (*line) {
		const char *end = line + strcspn(line, "\n");
		size_t length = strlen(key);

		if (strncmp(line, key, length) == 0) {
			line += length + strspn(line + length, " \t");
			if (*line == ':') {
				line += 1 + strspn(line + 1, " ");
				snprintf(value, size, "%.*s", (int)(end - line), line);
				return true;
			}
		}
		line = *end ? end + 1 : end;
	}
	return false;
}

static void find_cpu_model(char *model, size_t size)
{
	static const char *const keys[] = {
		"model name", /* x86, some arm */
		"Model Name", /* loongarch */
		"cpu model",  /* mips */
		"cpu",	      /* power */
		"uarch",      /* riscv, if the firmware names it */
		"isa",	      /* riscv */
	};
	char text[4096], implementer[16], part[16];

	read_text("/proc/cpuinfo", text, sizeof(text));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (find_field(text, keys[i], model, size))
			return;
	if (find_field(text, "CPU implementer", implementer, sizeof(implementer)) &&
	    find_field(text, "CPU part", part, sizeof(part)))
		snprintf(model, size, "CPU implementer %s part %s", implementer, part);
	else
		snprintf(model, size, "unknown CPU");
}

#if defined(__x86_64__) || defined(__i386__)

/* CPUID 1, ECX bit 31 announces a hypervisor, which signs leaf 0x40000000. */
static bool ask_cpuid(char *name, size_t size)
{
	static const char *const signatures[][2] = {
		{"KVMKVMKVM", "KVM"},		{"Linux KVM Hv", "KVM"},
		{"TCGTCGTCGTCG", "QEMU"},	{"VMwareVMware", "VMware"},
		{"Microsoft Hv", "Hyper-V"},	{"XenVMMXenVMM", "Xen"},
		{"VBoxVBoxVBox", "VirtualBox"}, {"bhyve bhyve ", "bhyve"},
		{"ACRNACRNACRN", "ACRN"},
	};
	unsigned int a, b, c, d;
	char signature[13] = "";

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 31)))
		return false;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(signature, &b, 4);
	memcpy(signature + 4, &c, 4);
	memcpy(signature + 8, &d, 4);
	snprintf(name, size, "%s", *signature ? signature : "unnamed");
	for (size_t i = 0; i < ARRAY_SIZE(signatures); i++)
		if (strcmp(signature, signatures[i][0]) == 0)
			snprintf(name, size, "%s", signatures[i][1]);
	return true;
}

#else

static bool ask_cpuid(char *name, size_t size)
{
	(void)name;
	(void)size;
	return false;
}

#endif

/* What firmware and kernel let show of a hypervisor; the first that matches counts. */
static const struct {
	const char *path;
	const char *contains;
	const char *hypervisor;
} hypervisor_hints[] = {
	{"/sys/hypervisor/type", "xen", "Xen"},
	{"/proc/device-tree/hypervisor/compatible", "kvm", "KVM"},
	{"/proc/device-tree/hypervisor/compatible", "xen", "Xen"},
	{"/proc/device-tree/compatible", "linux,dummy-virt", "KVM or QEMU"},
	{"/proc/device-tree/compatible", "riscv-virtio", "KVM or QEMU"},
	{"/proc/device-tree/compatible", "qemu", "KVM or QEMU"},
	{"/proc/device-tree/ibm,partition-name", "", "PowerVM"},
	{"/sys/class/dmi/id/product_name", "KVM", "KVM"},
	{"/sys/class/dmi/id/product_name", "VirtualBox", "VirtualBox"},
	{"/sys/class/dmi/id/product_name", "Virtual Machine", "Hyper-V"},
	{"/sys/class/dmi/id/product_name", "Apple Virtualization", "Apple"},
	/* The vendor of the next line sells whole machines too, under such a name. */
	{"/sys/class/dmi/id/product_name", ".metal", ""},
	{"/sys/class/dmi/id/sys_vendor", "Amazon EC2", "EC2 Nitro"},
	{"/sys/class/dmi/id/sys_vendor", "QEMU", "KVM or QEMU"},
	{"/sys/class/dmi/id/sys_vendor", "VMware", "VMware"},
};

static void find_hypervisor(char *name, size_t size)
{
	char text[256];

	if (ask_cpuid(name, size))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(hypervisor_hints); i++)
		if (read_text(hypervisor_hints[i].path, text, sizeof(text)) &&
		    strstr(text, hypervisor_hints[i].contains)) {
			snprintf(name, size, "%s", hypervisor_hints[i].hypervisor);
			return;
		}
}

/* Written once, then only read, by any thread; NULL when it cannot be had. */
static hwloc_topology_t topology;
static pthread_once_t topology_once = PTHREAD_ONCE_INIT;

static void load_topology(void)
{
	hwloc_topology_t loading;

	if (hwloc_topology_init(&loading))
		return;
	/* CPUs that this process may not use still disturb those that it may. */
	hwloc_topology_set_flags(loading, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
						  HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
	/* What is left out need not be looked for: a third of the time. */
	hwloc_topology_set_all_types_filter(loading, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(loading, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_type_filter(loading, HWLOC_OBJ_L1CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
	if (hwloc_topology_load(loading))
		hwloc_topology_destroy(loading);
	else
		topology = loading;
}

static hwloc_topology_t get_topology(void)
{
	pthread_once(&topology_once, load_topology);
	return topology;
}

static u64 smallest_l1d(void)
{
	hwloc_topology_t all = get_topology();
	hwloc_obj_t cache = NULL;
	u64 smallest = 0;

	while (all && (cache = hwloc_get_next_obj_by_type(all, HWLOC_OBJ_L1CACHE, cache)))
		if (!smallest || cache->attr->cache.size < smallest)
			smallest = cache->attr->cache.size;
	return smallest;
}

void machine_describe(struct machine *machine)
{
	struct utsname name;
	cpu_set_t allowed;
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	memset(machine, 0, sizeof(*machine));
	find_cpu_model(machine->cpu_model, sizeof(machine->cpu_model));
	find_hypervisor(machine->hypervisor, sizeof(machine->hypervisor));
	if (uname(&name) == 0) {
		snprintf(machine->kernel, sizeof(machine->kernel), "%s", name.release);
		snprintf(machine->architecture, sizeof(machine->architecture), "%.*s",
			 (int)sizeof(machine->architecture) - 1, name.machine);
	}
	if (online > 0)
		machine->cpus_online = (int)online;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		machine->cpus_allowed = CPU_COUNT(&allowed);
	machine->l1d_bytes = smallest_l1d();
}

u64 machine_steal_ticks(void)
{
	unsigned long long steal;
	char text[512];

	read_text("/proc/stat", text, sizeof(text));
	/* user nice system idle iowait irq softirq steal */
	if (sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
		return 0;
	return steal;
}

static void remark_cpus(struct remarks *remarks, const cpu_set_t *cpus, const char *fact)
{
	if (CPU_COUNT(cpus))
		remark(remarks, "CPU %s: %s", cpu_list(cpus).text, fact);
}

static void remark_hypervisor(const struct machine *machine, u64 steal_ticks,
			      struct remarks *remarks)
{
	if (machine->hypervisor[0])
		remark(remarks, "hypervisor %s: it may stop a CPU at any moment, even in an update",
		       machine->hypervisor);
	if (steal_ticks)
		remark(remarks, "%.2f s of CPU time were stolen by the hypervisor during the run",
		       (double)steal_ticks / STEAL_TICKS_PER_SEC);
}

/* False for "performance", and where there is no governor, or none to be seen. */
static bool frequency_scales(size_t cpu, char *governor, size_t size)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%zu/cpufreq/scaling_governor",
		 cpu);
	if (!read_text(path, governor, size))
		return false;
	governor[strcspn(governor, "\n")] = '\0';
	return strcmp(governor, "performance") != 0;
}

static void remark_governor(const cpu_set_t *used, struct remarks *remarks)
{
	char governor[32], first[32] = "", fact[128];
	cpu_set_t scaling;

	CPU_ZERO(&scaling);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, used) && frequency_scales(cpu, governor, sizeof(governor))) {
			CPU_SET(cpu, &scaling);
			if (!first[0])
				strcpy(first, governor);
		}
	snprintf(fact, sizeof(fact), "frequency governor %s may change speed during the run",
		 first);
	remark_cpus(remarks, &scaling, fact);
}

static void collect_siblings(size_t cpu, cpu_set_t *siblings)
{
	hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(get_topology(), (unsigned int)cpu);
	hwloc_obj_t core = NULL;

	CPU_ZERO(siblings);
	if (pu)
		core = hwloc_get_ancestor_obj_by_type(get_topology(), HWLOC_OBJ_CORE, pu);
	if (!core)
		return;
	for (int i = hwloc_bitmap_first(core->cpuset); i >= 0;
	     i = hwloc_bitmap_next(core->cpuset, i)) {
		size_t other = (size_t)i;

		if (other < CPU_SETSIZE && other != cpu)
			CPU_SET(other, siblings);
	}
}

static void remark_siblings(const cpu_set_t *used, struct remarks *remarks)
{
	cpu_set_t siblings, both, sharing, idle;

	if (!get_topology()) {
		remark(remarks, "no topology: nobody knows which CPUs are sibling hyperthreads");
		return;
	}
	CPU_ZERO(&sharing);
	CPU_ZERO(&idle);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, used))
			continue;
		collect_siblings(cpu, &siblings);
		CPU_AND(&both, &siblings, used);
		if (CPU_COUNT(&both))
			CPU_SET(cpu, &sharing);
		CPU_XOR(&siblings, &siblings, &both);
		CPU_OR(&idle, &idle, &siblings);
	}
	remark_cpus(remarks, &sharing, "sibling hyperthreads, both used, slow each other down");
	remark_cpus(remarks, &idle,
		    "idle sibling hyperthread of a used CPU; what others run on it slows the run");
}

static void remark_counters(struct remarks *remarks)
{
	const int cause = hw_counters_try();

	if (cause)
		remark(remarks, "no hardware counters: %s (%s)", hw_counters_reason(cause),
		       strerror(cause));
}

void machine_remarks(const struct machine *machine, const cpu_set_t *used, u64 steal_ticks,
		     struct remarks *remarks)
{
	remark_hypervisor(machine, steal_ticks, remarks);
	remark_governor(used, remarks);
	remark_siblings(used, remarks);
	remark_counters(remarks);
}
