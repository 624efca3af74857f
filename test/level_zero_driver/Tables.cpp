// What the loader looks for: with one of these missing it takes the driver for none.
#include "Driver.h"

#include <cstring>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>

namespace {

template <class Table> ze_result_t clear(ze_api_version_t version, Table *table) {
  if (!table)
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (ZE_MAJOR_VERSION(version) != 1)
    return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
  std::memset(table, 0, sizeof(*table));
  return ZE_RESULT_SUCCESS;
}

} // namespace

#define ZE_TEST_TABLE(prefix, Name, type, fillIt)                                      \
  extern "C" __attribute__((visibility("default"))) ze_result_t                        \
  prefix##Get##Name##ProcAddrTable(ze_api_version_t version,                           \
                                   prefix##_##type##_dditable_t *table) {              \
    const ze_result_t result = clear(version, table);                                  \
    if (result == ZE_RESULT_SUCCESS) {                                                 \
      fillIt;                                                                          \
    }                                                                                  \
    return result;                                                                     \
  }
#define ZE_TEST_FILLED(Name, type) ZE_TEST_TABLE(ze, Name, type, ze_test::fill(*table))
#define ZE_TEST_EMPTY(prefix, Name, type) ZE_TEST_TABLE(prefix, Name, type, )

ZE_TEST_FILLED(Global, global)
ZE_TEST_FILLED(Driver, driver)
ZE_TEST_FILLED(Device, device)
ZE_TEST_FILLED(Context, context)
ZE_TEST_FILLED(Mem, mem)
ZE_TEST_FILLED(Module, module)
ZE_TEST_FILLED(ModuleBuildLog, module_build_log)
ZE_TEST_FILLED(Kernel, kernel)
ZE_TEST_FILLED(CommandList, command_list)
ZE_TEST_FILLED(CommandQueue, command_queue)
ZE_TEST_FILLED(EventPool, event_pool)
ZE_TEST_FILLED(Event, event)
ZE_TEST_EMPTY(ze, Fence, fence)
ZE_TEST_EMPTY(ze, Image, image)
ZE_TEST_EMPTY(ze, PhysicalMem, physical_mem)
ZE_TEST_EMPTY(ze, Sampler, sampler)
ZE_TEST_EMPTY(ze, VirtualMem, virtual_mem)
ZE_TEST_EMPTY(zet, Device, device)
ZE_TEST_EMPTY(zet, Context, context)
ZE_TEST_EMPTY(zet, CommandList, command_list)
ZE_TEST_EMPTY(zet, Kernel, kernel)
ZE_TEST_EMPTY(zet, Module, module)
ZE_TEST_EMPTY(zet, Debug, debug)
ZE_TEST_EMPTY(zet, Metric, metric)
ZE_TEST_EMPTY(zet, MetricGroup, metric_group)
ZE_TEST_EMPTY(zet, MetricQuery, metric_query)
ZE_TEST_EMPTY(zet, MetricQueryPool, metric_query_pool)
ZE_TEST_EMPTY(zet, MetricStreamer, metric_streamer)
ZE_TEST_EMPTY(zet, TracerExp, tracer_exp)
ZE_TEST_EMPTY(zes, Device, device)
ZE_TEST_EMPTY(zes, Driver, driver)
ZE_TEST_EMPTY(zes, Diagnostics, diagnostics)
ZE_TEST_EMPTY(zes, Engine, engine)
ZE_TEST_EMPTY(zes, FabricPort, fabric_port)
ZE_TEST_EMPTY(zes, Fan, fan)
ZE_TEST_EMPTY(zes, Firmware, firmware)
ZE_TEST_EMPTY(zes, Frequency, frequency)
ZE_TEST_EMPTY(zes, Led, led)
ZE_TEST_EMPTY(zes, Memory, memory)
ZE_TEST_EMPTY(zes, PerformanceFactor, performance_factor)
ZE_TEST_EMPTY(zes, Power, power)
ZE_TEST_EMPTY(zes, Psu, psu)
ZE_TEST_EMPTY(zes, Ras, ras)
ZE_TEST_EMPTY(zes, Scheduler, scheduler)
ZE_TEST_EMPTY(zes, Standby, standby)
ZE_TEST_EMPTY(zes, Temperature, temperature)
