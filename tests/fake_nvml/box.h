// A driver library for tests: four A100 PCIe cards in two NVLink pairs on two sockets. A variant
// defines what differs and includes this file. Only what the program asks for is here; the values
// are made up.
#pragma once

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef BOX_COUNT
#define BOX_COUNT 4
#endif
#ifndef BOX_INIT
#define BOX_INIT return 0;
#endif
#ifndef BOX_HANDLE
#define BOX_HANDLE(index)
#endif
#ifndef BOX_MEMORY
#define BOX_MEMORY(gpu)
#endif
#ifndef BOX_SICK
#define BOX_SICK 0
#endif
#ifndef BOX_NAME
#define BOX_NAME(text, length) snprintf(text, length, "NVIDIA A100-PCIE-40GB")
#endif

typedef void* Device;
typedef struct {
  char short_bus_id[16];
  unsigned domain, bus, device, ids, subsystem;
  char bus_id[32];
} PciInfo;
typedef struct {
  unsigned long long total, free, used;
} Memory;
typedef struct {
  unsigned version;
  unsigned long long total, reserved, free, used;
} MemoryTwo;

static int number(Device device) { return (int)(size_t)device - 1; }
static void bus_of(int gpu, char* text, size_t size) {
  snprintf(text, size, "00000000:%02X:00.0", 0x10 + gpu * 0x20);
}

#ifndef BOX_OLD
int nvmlInit_v2(void) { BOX_INIT }
#endif
int nvmlInit(void) { BOX_INIT }

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
#ifdef BOX_OLD
  snprintf(text, length, "418.226.00");
#else
  snprintf(text, length, "550.54.15");
#endif
  return 0;
}

int nvmlDeviceGetCount(unsigned* count) {
  *count = BOX_COUNT;
  return 0;
}

int nvmlDeviceGetHandleByIndex(unsigned index, Device* device) {
  BOX_HANDLE(index)
  *device = (Device)(size_t)(index + 1);
  return 0;
}

int nvmlDeviceGetName(Device device, char* text, unsigned length) {
  (void)device;
  BOX_NAME(text, length);
  return 0;
}

int nvmlDeviceGetUUID(Device device, char* text, unsigned length) {
  snprintf(text, length, "GPU-00000000-0000-0000-0000-00000000000%d", number(device));
  return 0;
}

int nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  (void)device;
  BOX_MEMORY(number(device))
  memory->total = 40960ULL << 20;
  memory->used = 1024ULL << 20;
  memory->free = memory->total - memory->used;
  return 0;
}

int nvmlDeviceGetPciInfo(Device device, PciInfo* pci) {
  char text[32];
  bus_of(number(device), text, sizeof text);
  memcpy(pci->short_bus_id, text + 4, 13);  // the short form has a domain of four digits
  pci->short_bus_id[13] = 0;
  return 0;
}

#ifndef BOX_OLD
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 12040;
  return 0;
}

int nvmlDeviceGetMemoryInfo_v2(Device device, MemoryTwo* memory) {
  (void)device;
  BOX_MEMORY(number(device))
  if (memory->version != 0x02000028) return 25;
  memory->total = 40960ULL << 20;
  memory->reserved = 600ULL << 20;
  memory->used = 424ULL << 20;
  memory->free = memory->total - memory->reserved - memory->used;
  return 0;
}

int nvmlDeviceGetPciInfo_v3(Device device, PciInfo* pci) {
  bus_of(number(device), pci->bus_id, sizeof pci->bus_id);
  return 0;
}

int nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  (void)device;
  *major = 8;
  *minor = 0;
  return 0;
}

int nvmlDeviceGetMigMode(Device device, unsigned* now, unsigned* pending) {
  (void)device;
  *now = *pending = 0;
  return 0;
}

int nvmlDeviceGetEccMode(Device device, unsigned* now, unsigned* pending) {
  (void)device;
  *now = *pending = 1;
  return 0;
}

int nvmlDeviceGetPersistenceMode(Device device, unsigned* mode) {
  *mode = number(device) == 0;
  return 0;
}

int nvmlDeviceGetComputeMode(Device device, unsigned* mode) {
  (void)device;
  *mode = 0;
  return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* milliwatts) {
  (void)device;
  *milliwatts = 250000;
  return 0;
}

// Of a sick box: GPU 1 has had errors, GPU 2 is hot, GPU 3 hangs on eight lanes.
int nvmlDeviceGetTotalEccErrors(Device device, int type, int counter, unsigned long long* count) {
  *count = type == 1 && BOX_SICK && number(device) == 1 ? 2 + (unsigned long long)counter : 0;
  return 0;
}

int nvmlDeviceGetRemappedRows(Device device, unsigned* corrected, unsigned* uncorrected,
                              unsigned* pending, unsigned* failed) {
  *corrected = *failed = 0;
  *uncorrected = *pending = BOX_SICK && number(device) == 1;
  return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* reasons) {
  *reasons = BOX_SICK && number(device) == 2 ? 0x48 : 0x1;
  return 0;
}

int nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned* width) {
  *width = BOX_SICK && number(device) == 3 ? 8 : 16;
  return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* width) {
  (void)device;
  *width = 16;
  return 0;
}

typedef struct {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
} ProcessInfo;

int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, ProcessInfo* all) {
  if (*count < 2) return 7;
  *count = BOX_SICK && number(device) == 0 ? 2 : 0;
  all[0].pid = 4242;
  all[0].memory = 400ULL << 20;
  all[1].pid = 4243;
  all[1].memory = ~0ULL;
  return 0;
}

int nvmlDeviceGetCpuAffinity(Device device, unsigned size, unsigned long* set) {
  memset(set, 0, size * sizeof *set);
  set[number(device) / 2] = 0x00000000ffffffffUL;  // 0-31 and 64-95
  return 0;
}

int nvmlDeviceGetMemoryAffinity(Device device, unsigned size, unsigned long* set, unsigned scope) {
  (void)scope;
  memset(set, 0, size * sizeof *set);
  set[0] = 1UL << (number(device) / 2);
  return 0;
}

// Twelve links between 0 and 1, and between 2 and 3.
int nvmlDeviceGetNvLinkState(Device device, unsigned link, unsigned* active) {
  (void)device;
  if (link >= 12) return 2;
  *active = 1;
  return 0;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned link, PciInfo* pci) {
  (void)link;
  bus_of(number(device) ^ 1, pci->bus_id, sizeof pci->bus_id);
  return 0;
}

int nvmlDeviceGetP2PStatus(Device a, Device b, int what, int* status) {
  (void)what;
  *status = number(a) / 2 == number(b) / 2 ? 0 : 3;
  return 0;
}
#endif

int nvmlDeviceGetTopologyCommonAncestor(Device a, Device b, int* level) {
  *level = number(a) / 2 == number(b) / 2 ? 40 : 50;
  return 0;
}
