/* Preloaded into a process: its wall clock differs by the nanoseconds in a file, which may change at any time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#define BILLION 1000000000LL

static const volatile int64_t *offset;
static int (*real)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
  real = dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("SKEWED_CLOCK");
  int file = path ? open(path, O_RDONLY) : -1;
  void *page = file < 0 ? MAP_FAILED : mmap(0, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  offset = page == MAP_FAILED ? 0 : page;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!real) begin();
  int result = real(clock, now);
  if (!result && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t nanos = now->tv_sec * BILLION + now->tv_nsec + *offset;
    now->tv_sec = nanos / BILLION;
    now->tv_nsec = nanos % BILLION;
  }
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec precise;
  int result = clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return result;
}

time_t time(time_t *where) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (where) *where = now.tv_sec;
  return now.tv_sec;
}
