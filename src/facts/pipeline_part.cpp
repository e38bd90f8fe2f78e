// Sums over weight files; second copies are not loaded and not counted.
#include "facts/pipeline_part.h"

namespace sx {

Bytes PipelinePart::bytes() const {
  Bytes sum;
  for (const WeightFile& file : files.files) {
    if (file.state != FileState::Extra) sum += file.bytes;
  }
  return sum;
}

Bytes weights_of(const std::vector<PipelinePart>& parts) {
  Bytes sum;
  for (const PipelinePart& part : parts) sum += part.bytes();
  return sum;
}

const PipelinePart* largest_of(const std::vector<PipelinePart>& parts) {
  const PipelinePart* largest = nullptr;
  for (const PipelinePart& part : parts) {
    if (part.bytes() > Bytes{0} && (largest == nullptr || part.bytes() > largest->bytes()))
      largest = &part;
  }
  return largest;
}

}  // namespace sx
