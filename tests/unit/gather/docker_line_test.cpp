// Docker lines of many shapes: what is launched inside, by which version, and what it is given.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "facts/edit_command.h"
#include "gather/gather_command.h"
#include "read/shell_words.h"
#include "sys/files.h"

namespace sx {
namespace {

Outside empty_outside(const MemoryFiles& files) {
  return {
      .files = &files,
      .environment = Environment({{"HOME", "/home/user"}}),
      .folder = "/srv",
      .nvml = [] { return Result<NvmlAnswer>(fail(Error::Kind::Absent, "no driver", "没有驱动")); },
      .standard_input = [] { return Result<std::string>(std::string()); }};
}

std::string size_text(Bytes bytes) {
  return bytes == Bytes{std::int64_t{1} << 60} ? "unlimited"
                                               : std::to_string(bytes.count() >> 20) + "M";
}

// One line: engine, version and where it is from, model, and all that was said around it.
std::string told(const Launch& launch) {
  std::vector<std::string> parts{launch.serve.engine};
  if (launch.serve.version_origin == Origin::Config)
    parts.back() += ' ' + launch.serve.version.text();
  parts.push_back(launch.serve.model.known() ? launch.serve.model.value() : "?");
  if (launch.serve.tensor_parallel.asked())
    parts.push_back("tp " + std::to_string(launch.serve.tensor_parallel.value()));
  const Surroundings& around = launch.around;
  if (around.joined) parts.emplace_back("joined");
  if (around.all_gpus.known()) parts.emplace_back("gpus all");
  if (around.gpu_count.known()) parts.push_back("gpus " + std::to_string(around.gpu_count.value()));
  if (!around.gpu_count.why_unknown().empty()) parts.emplace_back("gpus ?");
  if (around.gpu_devices.known())
    parts.push_back("devices " + join(around.gpu_devices.value(), "+"));
  if (around.shared_memory.known())
    parts.push_back("shm " + size_text(around.shared_memory.value()));
  if (around.host_ipc.known() && around.host_ipc.value()) parts.emplace_back("ipc host");
  if (around.host_network.known() && around.host_network.value()) parts.emplace_back("net host");
  if (around.memory_limit.known())
    parts.push_back("memory " + size_text(around.memory_limit.value()));
  if (around.locked_memory.known())
    parts.push_back("memlock " + size_text(around.locked_memory.value()));
  if (around.open_files.known())
    parts.push_back("nofile " + std::to_string(around.open_files.value()));
  if (around.privileged.known() && around.privileged.value()) parts.emplace_back("privileged");
  if (around.user.known()) parts.push_back("user " + around.user.value());
  if (around.runtime.known()) parts.push_back("runtime " + around.runtime.value());
  if (around.restart.known()) parts.push_back("restart " + around.restart.value());
  if (around.working_folder.known()) parts.push_back("in " + around.working_folder.value());
  if (!around.name.empty()) parts.push_back("named " + around.name);
  for (const auto& mount : around.mounts)
    parts.push_back(mount.host + "->" + mount.inside + (mount.read_only ? " ro" : ""));
  for (const auto& port : around.ports) {
    parts.push_back((port.address.empty() ? "" : port.address + '/') + std::to_string(port.host) +
                    ':' + std::to_string(port.inside));
  }
  for (const auto& setting : launch.command.environment) {
    if (setting.prefix)
      parts.push_back(setting.name + '=' + setting.value + (setting.complete ? "" : "?"));
  }
  return join(parts, ", ");
}

struct Shape {
  std::string line;
  std::string told;
};

class DockerLine : public testing::TestWithParam<Shape> {};

TEST_P(DockerLine, IsUnderstood) {
  const MemoryFiles files;
  Sources sources;
  const auto result =
      gather_commands(sources, {.argv = {GetParam().line + " "}}, empty_outside(files));
  ASSERT_TRUE(result.has_value()) << result.error().what;
  ASSERT_EQ(result->launches.size(), 1U);
  const Launch& launch = result->launches[0];
  EXPECT_EQ(told(launch), GetParam().told);
  // Every word that stands in the text stands where it says.
  const auto shell = [&](const Word& word) {
    return word.span.source >= 0 && word.literal && word.quoting == Quoting::Shell;
  };
  for (const auto* words : {&launch.command.front, &launch.command.words}) {
    for (const Word& word : *words) {
      if (!shell(word)) continue;
      const std::string_view raw = sources.text(word.span);
      if (raw.find_first_of("'\"\\$~") == std::string_view::npos) {
        EXPECT_EQ(raw, word.text);
      }
    }
  }
}

// The line that is printed is read as the same launch again.
TEST_P(DockerLine, IsPrintedWhole) {
  const MemoryFiles files;
  Sources sources;
  const auto result =
      gather_commands(sources, {.argv = {GetParam().line + " "}}, empty_outside(files));
  ASSERT_TRUE(result.has_value()) << result.error().what;
  const std::string printed = one_line(result->launches[0].command);
  const auto again = gather_commands(sources, {.argv = {printed + " "}}, empty_outside(files));
  ASSERT_TRUE(again.has_value()) << printed;
  ASSERT_EQ(again->launches.size(), 1U) << printed;
  EXPECT_EQ(told(again->launches[0]), GetParam().told) << printed;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DockerLine,
    testing::Values(
        Shape{"docker run --gpus all --shm-size 32g -p 30000:30000 --ipc=host "
              "lmsysorg/sglang:v0.5.3 python3 -m "
              "sglang.launch_server --model-path m --host 0.0.0.0 --tp 2",
              "sglang 0.5.3, m, tp 2, gpus all, shm 32768M, ipc host, 30000:30000"},
        Shape{"docker run -v /m:/models -p 8080:8080 --gpus all "
              "ghcr.io/ggml-org/llama.cpp:server-cuda-b5092 -m "
              "/models/q.gguf -ngl 99",
              "llamacpp b5092, /models/q.gguf, gpus all, /m->/models, 8080:8080"},
        Shape{"docker run -v /m:/models -p 8080:8080 ghcr.io/ggml-org/llama.cpp:server -m "
              "/models/q.gguf",
              "llamacpp, /models/q.gguf, /m->/models, 8080:8080"},

        Shape{"docker run --gpus all vllm/vllm-openai:v0.8.5 --model m", "vllm 0.8.5, m, gpus all"},
        Shape{
            "sudo docker run -itd --gpus all -p 8000:8000 vllm/vllm-openai:v0.8.5 --model m -tp 2",
            "vllm 0.8.5, m, tp 2, gpus all, 8000:8000"},
        Shape{"docker run --gpus=all --ipc=host --shm-size=16g vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, shm 16384M, ipc host"},
        Shape{"docker run --gpus 2 vllm/vllm-openai:v0.8.5 --model m", "vllm 0.8.5, m, gpus 2"},
        Shape{"docker run --gpus '\"device=0,1\"' vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, devices 0+1"},
        Shape{"docker run --gpus device=3 vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, devices 3"},
        Shape{"docker run --gpus device=0,1 vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus ?"},
        Shape{
            "docker run --gpus '\"device=GPU-8f5c1,GPU-77aa2\"' vllm/vllm-openai:v0.8.5 --model m",
            "vllm 0.8.5, m, devices GPU-8f5c1+GPU-77aa2"},
        Shape{"docker run --gpus 'all,capabilities=utility' vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"docker run --gpus count=4 vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus 4"},
        Shape{"docker run --runtime nvidia -e NVIDIA_VISIBLE_DEVICES=0,1 vllm/vllm-openai:v0.8.5 "
              "--model m",
              "vllm 0.8.5, m, devices 0+1, runtime nvidia, NVIDIA_VISIBLE_DEVICES=0,1"},
        Shape{"docker run --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=all vllm/vllm-openai:v0.8.5 "
              "--model m",
              "vllm 0.8.5, m, gpus all, runtime nvidia, NVIDIA_VISIBLE_DEVICES=all"},
        Shape{"docker run --gpus all -e NVIDIA_VISIBLE_DEVICES=0 vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, NVIDIA_VISIBLE_DEVICES=0"},
        Shape{"docker run --gpus all --env VLLM_USE_V1=0 --env=NCCL_DEBUG=INFO -eHF_HUB_OFFLINE=1 "
              "vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, VLLM_USE_V1=0, NCCL_DEBUG=INFO, HF_HUB_OFFLINE=1"},
        Shape{"docker run --gpus all -e HF_TOKEN vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, HF_TOKEN=$HF_TOKEN?"},
        Shape{"HF_TOKEN=abc docker run --gpus all -e HF_TOKEN vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, HF_TOKEN=abc"},
        Shape{"docker run --gpus all -e 'A=b c' vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, A=b c"},
        Shape{"docker run --gpus all -p 127.0.0.1:8000:8000 -p 9000:9000/tcp -p 53:53/udp "
              "vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, 127.0.0.1/8000:8000, 9000:9000"},
        Shape{"docker run --gpus all -p8080:8000 vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, 8080:8000"},
        Shape{"docker run --gpus all -dp 8080:8000 vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, 8080:8000"},
        Shape{"docker run --gpus all -p 8000 vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, 0:8000"},
        Shape{"docker run --gpus all -p '[::1]:8000:8000' vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, ::1/8000:8000"},
        Shape{
            "docker run --gpus all --publish=8000-8001:8000-8001 vllm/vllm-openai:v0.8.5 --model m",
            "vllm 0.8.5, m, gpus all, 8000:8000, 8001:8001"},
        Shape{"docker run --gpus all -v /data:/models:ro vllm/vllm-openai:v0.8.5 --model /models/q",
              "vllm 0.8.5, /models/q, gpus all, /data->/models ro"},
        Shape{"docker run --gpus all --volume=/data:/models vllm/vllm-openai:v0.8.5 --model "
              "/models/q",
              "vllm 0.8.5, /models/q, gpus all, /data->/models"},
        Shape{"docker run --gpus all --mount type=bind,source=/data,target=/models,readonly "
              "vllm/vllm-openai:v0.8.5 --model /models/q",
              "vllm 0.8.5, /models/q, gpus all, /data->/models ro"},
        Shape{"docker run --gpus all --mount 'type=volume,src=w,dst=/w' vllm/vllm-openai:v0.8.5 "
              "--model /w/q",
              "vllm 0.8.5, /w/q, gpus all, w->/w"},
        Shape{"docker run --gpus all -v hf:/root/.cache/huggingface vllm/vllm-openai:v0.8.5 "
              "--model m",
              "vllm 0.8.5, m, gpus all, hf->/root/.cache/huggingface"},
        Shape{"docker run --gpus all --ulimit memlock=-1 --ulimit nofile=65535:65535 "
              "vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, memlock unlimited, nofile 65535"},
        Shape{"docker run --gpus all --ulimit memlock=67108864 --ulimit stack=67108864 "
              "vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, memlock 64M"},
        Shape{"docker run --gpus all -m 64g --cpus 8 vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, memory 65536M"},
        Shape{"docker run --gpus all --memory=1.5gb vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, memory 1536M"},
        Shape{"docker run --gpus all --shm-size 10.24gb vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, shm 10485M"},
        Shape{"docker run --gpus all --shm-size=1073741824 vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, shm 1024M"},
        Shape{"docker run --gpus all --tmpfs /dev/shm:rw,size=8g vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, shm 8192M"},
        Shape{"docker run --gpus all --mount type=tmpfs,dst=/dev/shm,tmpfs-size=8g "
              "vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, shm 8192M"},
        Shape{"docker run --gpus all -v /dev/shm:/dev/shm vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, ipc host, /dev/shm->/dev/shm"},
        Shape{"docker run --gpus all --network host vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, net host"},
        Shape{"docker run --gpus all --net=host --privileged -u root vllm/vllm-openai:v0.8.5 "
              "--model m",
              "vllm 0.8.5, m, gpus all, net host, privileged, user root"},
        Shape{"docker run --gpus all --privileged=false --user 1000:1000 vllm/vllm-openai:v0.8.5 "
              "--model m",
              "vllm 0.8.5, m, gpus all, user 1000:1000"},
        Shape{"docker run --gpus all --restart unless-stopped --name qwen -w /work "
              "vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, restart unless-stopped, in /work, named qwen"},
        Shape{"docker run --gpus all --init --rm -it --health-cmd 'curl -f localhost:8000/health' "
              "--health-interval 30s vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"docker run --gpus all --log-opt max-size=10m --log-driver json-file "
              "vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"docker run --gpus all --entrypoint vllm vllm/vllm-openai:v0.8.5 serve m -tp 2",
              "vllm 0.8.5, m, tp 2, gpus all"},
        Shape{"docker run --gpus all --entrypoint python3 vllm/vllm-openai:v0.8.5 -m "
              "vllm.entrypoints.openai.api_server --model m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"docker run --gpus all --entrypoint bash vllm/vllm-openai:v0.8.5 -c 'vllm serve m "
              "-tp 4'",
              "vllm 0.8.5, m, tp 4, gpus all"},
        Shape{"docker run --gpus all --entrypoint /bin/bash vllm/vllm-openai:v0.8.5 -lc 'pip "
              "install -U timm && vllm serve m -tp 4 > /tmp/log'",
              "vllm 0.8.5, m, tp 4, gpus all"},
        Shape{"docker run --gpus all --entrypoint '' vllm/vllm-openai:v0.8.5 vllm serve m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"docker run --gpus all vllm/vllm-openai:latest --model m", "vllm, m, gpus all"},
        Shape{"docker run --gpus all vllm/vllm-openai --model m", "vllm, m, gpus all"},
        Shape{"docker run --gpus all vllm/vllm-openai:v0.19.0-cu130 m", "vllm 0.19.0, m, gpus all"},
        Shape{"docker run --gpus all vllm/vllm-openai:v0.8.5.post1 --model m",
              "vllm 0.8.5.post1, m, gpus all"},
        Shape{"docker run --gpus all vllm/vllm-openai:nightly m", "vllm, m, gpus all"},
        Shape{"docker run --gpus all vllm/vllm-openai:v0.8.5@sha256:0123456789abcdef --model m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"docker run --gpus all docker.io/vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"docker run --gpus all registry.example.com:5000/mirror/vllm-openai:v0.9.2 --model m",
              "vllm 0.9.2, m, gpus all"},
        Shape{"docker run --gpus all rocm/vllm:latest vllm serve m", "vllm, m, gpus all"},
        Shape{"docker run --device /dev/kfd --device /dev/dri --group-add video --ipc=host "
              "rocm/vllm:latest vllm serve m",
              "vllm, m, gpus all, ipc host"},
        Shape{"docker run --gpus all nvcr.io/nvidia/vllm:25.09-py3 vllm serve m",
              "vllm, m, gpus all"},
        Shape{"docker run --gpus all --ipc=host myorg/custom:1 python3 -m "
              "vllm.entrypoints.openai.api_server --model m",
              "vllm, m, gpus all, ipc host"},
        Shape{"docker run --gpus all myorg/custom:1 bash -c \"cd /app && CUDA_VISIBLE_DEVICES=0 "
              "vllm serve m\"",
              "vllm, m, gpus all, CUDA_VISIBLE_DEVICES=0"},
        Shape{"docker run --gpus all myorg/custom:1 env VLLM_USE_V1=1 vllm serve m",
              "vllm, m, gpus all, VLLM_USE_V1=1"},
        Shape{"docker run --gpus all myorg/custom:1 numactl --membind=0 vllm serve m",
              "vllm, m, gpus all"},
        Shape{"docker container run --gpus all vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"docker --context remote run --gpus all vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"docker -H tcp://10.0.0.5:2375 run --gpus all vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"docker create --gpus all --name q vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all, named q"},
        Shape{"podman run --device nvidia.com/gpu=all --security-opt=label=disable "
              "vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"podman run --device nvidia.com/gpu=0 --device nvidia.com/gpu=1 "
              "vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, devices 0+1"},
        Shape{"nerdctl -n k8s.io run --gpus all vllm/vllm-openai:v0.8.5 --model m",
              "vllm 0.8.5, m, gpus all"},
        Shape{"docker exec -it box vllm serve m -tp 2", "vllm, m, tp 2, joined, named box"},
        Shape{"docker exec -e VLLM_USE_V1=1 -w /app box vllm serve m",
              "vllm, m, joined, named box, VLLM_USE_V1=1"},
        Shape{"docker exec box bash -c 'vllm serve m'", "vllm, m, joined, named box"},
        Shape{"kubectl exec -it pod-0 -- vllm serve m -tp 2", "vllm, m, tp 2, joined, named pod-0"},
        Shape{"kubectl -n ai exec pod-0 -c vllm -- bash -c 'vllm serve m'",
              "vllm, m, joined, named pod-0"},
        Shape{"docker run \\\n  --gpus all \\\n  -p 8000:8000 \\\n  vllm/vllm-openai:v0.8.5 \\\n  "
              "--model m \\\n  --tensor-parallel-size 2",
              "vllm 0.8.5, m, tp 2, gpus all, 8000:8000"},
        Shape{"nohup docker run --gpus all vllm/vllm-openai:v0.8.5 --model m > log 2>&1 &",
              "vllm 0.8.5, m, gpus all"}));

}  // namespace
}  // namespace sx
