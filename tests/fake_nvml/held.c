// Cards whose memory is held by whoever stands in the file FAKE_NVML_HELD: lines of "GPU PID MIB".
// Those whose numbers stand in the file FAKE_NVML_LOST have fallen off the bus.
#include <stdio.h>
#include <stdlib.h>

static int is_lost(int gpu) {
  const char* path = getenv("FAKE_NVML_LOST");
  FILE* file = path == NULL ? NULL : fopen(path, "r");
  int of, found = 0;
  while (file != NULL && fscanf(file, "%d", &of) == 1) found = found || of == gpu;
  if (file != NULL) fclose(file);
  return found;
}
#define BOX_HANDLE(index) \
  if (is_lost((int)(index))) return 15;
#define nvmlDeviceGetMemoryInfo_v2 memory_of_the_box
#define nvmlDeviceGetComputeRunningProcesses_v3 processes_of_the_box
#include "box.h"
#undef nvmlDeviceGetMemoryInfo_v2
#undef nvmlDeviceGetComputeRunningProcesses_v3

// Lines of that card: at most so many, their sum in MiB.
static unsigned held(int gpu, ProcessInfo* all, unsigned most, unsigned long long* sum) {
  unsigned count = 0;
  *sum = 0;
  const char* path = getenv("FAKE_NVML_HELD");
  FILE* file = path == NULL ? NULL : fopen(path, "r");
  if (file == NULL) return 0;
  int of;
  unsigned pid;
  unsigned long long size;
  while (fscanf(file, "%d %u %llu", &of, &pid, &size) == 3) {
    if (of != gpu) continue;
    *sum += size;
    if (pid == 0) continue;  // held, and nobody is named for it
    if (count < most) {
      all[count].pid = pid;
      all[count].memory = size << 20;
    }
    ++count;
  }
  fclose(file);
  return count;
}

int nvmlDeviceGetMemoryInfo_v2(Device device, MemoryTwo* memory) {
  if (memory->version != 0x02000028) return 25;
  ProcessInfo none[1];
  unsigned long long sum;
  held(number(device), none, 0, &sum);
  memory->total = 40960ULL << 20;
  memory->reserved = 600ULL << 20;
  memory->used = (424ULL + sum) << 20;
  memory->free = memory->total - memory->reserved - memory->used;
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, ProcessInfo* all) {
  unsigned long long sum;
  const unsigned found = held(number(device), all, *count, &sum);
  if (found > *count) return 7;
  *count = found;
  return 0;
}
