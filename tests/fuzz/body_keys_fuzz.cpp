// Any bytes as a request's body: whenever Boost.JSON reads an object in them, so do we, with the
// same model, the last one of several. Another model put in its place changes nothing else, and the
// front of a conversation is found in whatever there is.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "gateway/body_keys.h"

namespace {

namespace json = boost::json;

void check_fronts(std::string_view body, const sx::BodyKeys& keys) {
  for (const auto surface : {sx::Surface::OpenAi, sx::Surface::Responses, sx::Surface::Anthropic}) {
    const auto key = sx::conversation_key(body, keys, surface);
    SX_ASSERT((key.whole == 0) == (key.order == 0) || key.whole == 1);
  }
  SX_ASSERT(sx::previous_answer(body, keys).size() <= 512);
  SX_ASSERT(sx::answer_id(body).size() <= 256);
}

void check_other_name(std::string_view body, const sx::BodyKeys& keys, const json::object& before) {
  constexpr std::string_view kName = "other \"name\"\\";
  std::string with(body);
  sx::put_model(with, keys, kName);
  json::error_code error;
  json::value after = json::parse({with.data(), with.size()}, error);
  SX_ASSERT(!error && after.is_object());
  SX_ASSERT(after.get_object().at("model").get_string() == kName);
  json::object rest = before;
  rest.erase("model");
  after.get_object().erase("model");
  SX_ASSERT(after.get_object() == rest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const sx::BodyKeys keys = sx::find_body_keys(body);
  if (keys.model) SX_ASSERT(keys.model_is_text && keys.model->size() <= 512);
  check_fronts(body, keys);
  if (const auto model = sx::model_of_form(body)) SX_ASSERT(model->size() <= 512);
  if (const auto place = sx::find_form_model(body)) {
    std::string with(body);
    sx::put_form_model(with, *place, "other");
    SX_ASSERT(sx::model_of_form(with) == "other");
  }
  boost::json::error_code error;
  const auto value = boost::json::parse({body.data(), body.size()}, error);
  if (error || !value.is_object()) return 0;
  SX_ASSERT(keys.object);
  check_other_name(body, keys, value.get_object());
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
