// Sizes that follow from the parallel sizes of a launch, and the use of a flag that counts.
#include "facts/serve_spec.h"

#include <initializer_list>

#include "knowledge/foreign_flags.h"

namespace sx {
namespace {

// More than any launch has; a product past it is a typing mistake, not a size.
constexpr long long kMostGpus = 1 << 20;

std::optional<int> product(std::initializer_list<const Fact<int>*> sizes) {
  long long all = 1;
  for (const Fact<int>* size : sizes) {
    if (!size->known() || size->value() < 1) return {};
    all *= size->value();
    if (all > kMostGpus) return {};
  }
  return static_cast<int>(all);
}

}  // namespace

std::optional<int> ServeSpec::world_size() const {
  return product({&tensor_parallel, &pipeline_parallel, &prefill_context_parallel});
}

std::optional<int> ServeSpec::gpus_wanted() const {
  const auto world = world_size();
  if (!world) return {};
  const Fact<int> whole(*world, Origin::Formula);
  const Fact<int>& ranks = data_parallel_local.known() ? data_parallel_local : data_parallel;
  const auto all = product({&whole, &ranks});
  if (!all || !node_count.known() || node_count.value() <= 1) return all;
  // A replica that stands on several machines takes its share of each.
  if (*all % node_count.value() != 0) return {};
  return *all / node_count.value();
}

const FlagUse* ServeSpec::use_of(std::string_view name) const {
  if (flags.empty()) return nullptr;
  std::string made;
  const std::string_view own = own_name_in(engine, name, made);
  if (own.empty()) return nullptr;
  for (auto use = flags.rbegin(); use != flags.rend(); ++use) {
    if (use->name == own) return &*use;
  }
  return nullptr;
}

}  // namespace sx
