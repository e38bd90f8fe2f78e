// Where downloads lie, by the variables that say so.
#include "knowledge/download_caches.h"

#include <gtest/gtest.h>

#include <map>

#include "base/strings.h"

namespace sx {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

VariableOf of(const Variables& variables) {
  return [&variables](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
}

std::string models(std::string_view cache, const Variables& variables) {
  return join(model_folders(cache, of(variables)), " ");
}

std::string places(const Variables& variables) {
  std::string all;
  for (const CachePlace& place : cache_places(of(variables)))
    all += std::string(place.row->inside) + '=' + place.folder + (place.row->made ? "! " : " ");
  return all;
}

TEST(DownloadCaches, TheFirstVariableThatIsSetHolds) {
  Variables variables{{"HOME", "/home/u"}};
  EXPECT_EQ(models("huggingface", variables), "/home/u/.cache/huggingface/hub");
  variables["XDG_CACHE_HOME"] = "/xdg/";
  EXPECT_EQ(models("huggingface", variables), "/xdg/huggingface/hub");
  EXPECT_EQ(models("llamacpp", variables), "/xdg/llama.cpp");
  variables["HF_HOME"] = "/hf";
  EXPECT_EQ(models("huggingface", variables), "/hf/hub");
  variables["HUGGINGFACE_HUB_CACHE"] = "old";
  EXPECT_EQ(models("huggingface", variables), "old");
  variables["HF_HUB_CACHE"] = "";  // as good as not set
  EXPECT_EQ(models("huggingface", variables), "old");
  variables["MODELSCOPE_CACHE"] = "/ms";
  EXPECT_EQ(models("modelscope", variables), "/ms/hub/models /ms/models /ms/hub /ms");
  EXPECT_EQ(models("modelscope", {}), "");
  EXPECT_EQ(models("vllm", {{"VLLM_CACHE_ROOT", "/v"}}), "");  // it has none
}

TEST(DownloadCaches, EachVariableOfAContainerIsSaidOnce) {
  EXPECT_EQ(places({{"HOME", "/h"}}),
            "HF_HOME=/h/.cache/huggingface! MODELSCOPE_CACHE=/h/.cache/modelscope "
            "LLAMA_CACHE=/h/.cache/llama.cpp ");
  EXPECT_EQ(places({{"HOME", "/h"},
                    {"HF_HUB_CACHE", "/hub"},
                    {"HF_HOME", "/hf"},
                    {"HUGGINGFACE_HUB_CACHE", "/old"},
                    {"VLLM_CACHE_ROOT", "/v"},
                    {"MODELSCOPE_CACHE", "/ms"},
                    {"LLAMA_CACHE", "/l"}}),
            "HF_HUB_CACHE=/hub! HF_HOME=/hf! MODELSCOPE_CACHE=/ms! LLAMA_CACHE=/l "
            "VLLM_CACHE_ROOT=/v! ");
  EXPECT_EQ(places({}), "");
}

}  // namespace
}  // namespace sx
