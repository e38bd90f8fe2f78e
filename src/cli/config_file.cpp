// A deployment that is down keeps what it was started from, and so does one whose daemon is gone.
#include "cli/config_file.h"

#include "cli/daemon_talk.h"
#include "run/deployment.h"
#include "sys/files.h"

namespace sx {
namespace {

constexpr const char* kHere = "sextant.toml";
constexpr Bytes kMostDeployment = mib(16);

constexpr Text kNoneHere{
    "there is no {file} here: `sextant config FILE.toml` reads another one, "
    "`sextant config --name NAME` that of a deployment",
    "当前目录没有 {file}：`sextant config FILE.toml` 读取其他文件，"
    "`sextant config --name NAME` 读取某个部署的文件"};
constexpr Text kNoFile{"{name} was not started from a file; what it runs stands in {path}",
                       "{name} 不是由文件启动的；它运行的内容写在 {path}"};

ConfigFile ended(const Message& said, int code, Session& session, Language language) {
  session.output.trouble(trouble_line(rendered(said, language), language));
  return {.path = {}, .ended_with = code};
}

ConfigFile could_not(const Error& error, Session& session, Language language) {
  session.output.trouble(trouble_line(error, language));
  return {.path = {}, .ended_with = kCouldNot};
}

ConfigFile file_of_deployment(const std::string& name, Session& session, Language language) {
  const Environment& environment = session.outside.environment;
  const auto folder = state_folder(environment, name);
  if (!folder) return could_not(folder.error(), session, language);
  const auto text = real_files().read(folder->deployment(), kMostDeployment);
  if (!text && text.error().kind == Error::Kind::Absent) {
    const Nobody told = nobody_there(*folder, environment, name);
    return ended(told.message, told.exit_code, session, language);
  }
  if (!text) return could_not(text.error(), session, language);
  const auto deployment = read_deployment(*text);
  if (!deployment) return could_not(deployment.error(), session, language);
  if (!deployment->origin.file.empty()) return {.path = deployment->origin.file, .ended_with = {}};
  return ended({kNoFile, {{"name", name}, {"path", folder->deployment()}}}, kCouldNot, session,
               language);
}

}  // namespace

ConfigFile config_file(const Arguments& arguments, Session& session, Language language) {
  if (!arguments.words.empty()) return {.path = arguments.words.front(), .ended_with = {}};
  if (const auto name = arguments.value("--name"))
    return file_of_deployment(*name, session, language);
  const auto& outside = session.outside;
  const auto here = outside.files->info(outside.folder + '/' + kHere);
  if (here || here.error().kind != Error::Kind::Absent) return {.path = kHere, .ended_with = {}};
  return ended({kNoneHere, {{"file", kHere}}}, kCouldNot, session, language);
}

}  // namespace sx
