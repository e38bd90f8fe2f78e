// Any bytes as a request's body: whenever Boost.JSON reads an object in them, so do we, with the
// same model, the last one of several.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "gateway/body_keys.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const sx::BodyKeys keys = sx::find_body_keys(body);
  if (keys.model) SX_ASSERT(keys.model_is_text && keys.model->size() <= 512);
  if (const auto model = sx::model_of_form(body)) SX_ASSERT(model->size() <= 512);
  boost::json::error_code error;
  const auto value = boost::json::parse({body.data(), body.size()}, error);
  if (error || !value.is_object()) return 0;
  SX_ASSERT(keys.object);
  const auto* model = value.get_object().if_contains("model");
  if (model == nullptr) {
    SX_ASSERT(!keys.model && keys.model_is_text);
  } else if (!model->is_string()) {
    SX_ASSERT(!keys.model_is_text);
  } else if (keys.model) {
    SX_ASSERT(model->get_string() == *keys.model);
  }
  return 0;
}
