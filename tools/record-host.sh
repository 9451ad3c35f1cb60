#!/bin/sh
# Prints what Halocline reads of this host, a line `path:content` each, as kept in tests/data/hosts.
cd / && grep -Hs '' etc/os-release \
  proc/cpuinfo proc/loadavg proc/meminfo proc/stat \
  proc/self/cgroup proc/self/limits proc/self/stat proc/self/status \
  proc/sys/kernel/hostname proc/sys/kernel/osrelease proc/sys/kernel/sched_autogroup_enabled \
  sys/class/dmi/id/product_name sys/class/dmi/id/sys_vendor sys/class/infiniband/*/node_type \
  sys/devices/system/clocksource/clocksource0/available_clocksource \
  sys/devices/system/clocksource/clocksource0/current_clocksource \
  sys/devices/system/cpu/cpufreq/boost sys/devices/system/cpu/intel_pstate/no_turbo \
  sys/devices/system/cpu/cpu[0-9]*/cache/index*/level \
  sys/devices/system/cpu/cpu[0-9]*/cache/index*/shared_cpu_list \
  sys/devices/system/cpu/cpu[0-9]*/cache/index*/size \
  sys/devices/system/cpu/cpu[0-9]*/cache/index*/type \
  sys/devices/system/cpu/cpu[0-9]*/cpufreq/cpuinfo_max_freq \
  sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor \
  sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id \
  sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list \
  sys/devices/system/node/node[0-9]*/cpulist sys/devices/system/node/node[0-9]*/meminfo \
  sys/fs/cgroup/cpu.max sys/fs/cgroup/cpuset.cpus.effective sys/fs/cgroup/memory.max \
  sys/fs/cgroup/cpu/cpu.cfs_*_us sys/fs/cgroup/cpuset/cpuset.cpus \
  sys/fs/cgroup/memory/memory.limit_in_bytes sys/hypervisor/type \
  sys/kernel/mm/hugepages/*/free_hugepages sys/kernel/mm/hugepages/*/nr_hugepages \
  sys/kernel/mm/transparent_hugepage/enabled sys/kernel/mm/transparent_hugepage/shmem_enabled
