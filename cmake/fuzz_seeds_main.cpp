// Runs a fuzz target once over each file of the folders given, and once over nothing at all.
// A finding ends the program, so the file is named before it is tried.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void try_once(const std::string& bytes, const std::string& name) {
  std::fprintf(stderr, "seed %s\n", name.c_str());
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  int passed = 1;
  try_once("", "(empty)");
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      try_once(bytes, entry.path().string());
      ++passed;
    }
  }
  std::printf("%d passed, 0 failed\n", passed);
  return 0;
}
