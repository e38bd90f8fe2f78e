// The programs that start another program, and how many of their words are their own.
#include "read/command_front.h"

#include <algorithm>
#include <array>
#include <span>

namespace sx {
namespace {

// A program whose command line ends in another command line.
struct Wrapper {
  std::string_view name;
  std::string_view verb;        // word that must follow: "run" of `conda run`; empty: none
  std::string_view with_value;  // options whose value is the next word, each between spaces
  std::size_t own_words = 0;    // words of its own before the command: the duration of `timeout`
  bool takes_assignments = false;
};

// Of `apptainer exec IMAGE.sif` and its older name.
constexpr std::string_view kContainerFileOptions =
    " -B --bind --mount --env --env-file -H --home --pwd --cwd -W --workdir -o --overlay -S "
    "--scratch --security --network --app ";

constexpr std::string_view kMpiOptions =
    " -np -n --np -c -H --host -x --hostfile -hostfile -machinefile --machinefile --map-by "
    "--bind-to "
    "--rank-by --prefix --wdir -wdir --mca -mca -npernode --npernode -genv -env ";

constexpr std::array kWrappers{
    Wrapper{"env", "", " -u --unset -C --chdir ", 0, true},
    Wrapper{"sudo", "", " -u --user -g --group -h -p -C -D -R -T ", 0, true},
    Wrapper{"doas", "", " -u -C ", 0},
    Wrapper{"exec", "", " -a ", 0},
    Wrapper{"command", "", " ", 0},
    Wrapper{"builtin", "", " ", 0},
    Wrapper{"nohup", "", " ", 0},
    Wrapper{"time", "", " -f --format -o --output ", 0},
    Wrapper{"setsid", "", " ", 0},
    Wrapper{"stdbuf", "", " -i -o -e --input --output --error ", 0},
    Wrapper{"unbuffer", "", " ", 0},
    Wrapper{"nice", "", " -n --adjustment ", 0},
    Wrapper{"ionice", "", " -c -n --class --classdata ", 0},
    Wrapper{"chrt", "", " -T -P -D ", 1},
    Wrapper{"timeout", "", " -s --signal -k --kill-after ", 1},
    Wrapper{"prlimit", "", " ", 0},
    Wrapper{"numactl", "",
            " -N --cpunodebind -m --membind -C --physcpubind -i --interleave -p --preferred -P "
            "--preferred-many -w --weighted-interleave ",
            0},
    Wrapper{"taskset", "", " -c --cpu-list ", 0},
    Wrapper{"tini", "", " -p -e ", 0},
    Wrapper{"dumb-init", "", " -r --rewrite ", 0},
    Wrapper{"catatonit", "", " ", 0},
    Wrapper{"gosu", "", " ", 1},
    Wrapper{"su-exec", "", " ", 1},
    Wrapper{"conda", "run", " -n --name -p --prefix --cwd ", 0},
    Wrapper{"mamba", "run", " -n --name -p --prefix --cwd ", 0},
    Wrapper{"micromamba", "run", " -n --name -p --prefix --cwd -e --env ", 0},
    Wrapper{
        "uv", "run",
        " --with --with-editable --with-requirements -p --python --extra --group --project "
        "--directory --env-file --package --index --default-index --index-url --extra-index-url "
        "--cache-dir --config-file --torch-backend ",
        0},
    Wrapper{"uvx", "", " --from --with -p --python --index --torch-backend ", 0},
    Wrapper{"poetry", "run", " -C --directory -P --project ", 0},
    Wrapper{"pipenv", "run", " ", 0},
    Wrapper{"pdm", "run", " -p --project ", 0},
    Wrapper{"rye", "run", " ", 0},
    Wrapper{"pixi", "run", " -e --environment --manifest-path ", 0},
    Wrapper{"nsys", "profile",
            " -o --output -t --trace -s --sample -c --capture-range -y --delay -d --duration -w "
            "--show-output -f --force-overwrite --cuda-graph-trace ",
            0},
    Wrapper{"compute-sanitizer", "", " --tool ", 0},
    Wrapper{"srun", "",
            " -n --ntasks -N --nodes -p --partition -J --job-name -t --time -c --cpus-per-task -A "
            "--account -w --nodelist -G --gpus --gres --mem -q --qos -o --output -e --error ",
            0},
    Wrapper{"screen", "", " -S -dmS -DmS -t -c -h -s -T -Logfile ", 0},
    Wrapper{"tmux", "new-session", " -s -n -c -x -y -e -t -F -f ", 0},
    Wrapper{"tmux", "new", " -s -n -c -x -y -e -t -F -f ", 0},
    Wrapper{"apptainer", "exec", kContainerFileOptions, 1},
    Wrapper{"singularity", "exec", kContainerFileOptions, 1},
    Wrapper{"mpirun", "", kMpiOptions, 0},
    Wrapper{"mpiexec", "", kMpiOptions, 0},
};

// Between blanks: "-n" is not found in " -np ".
bool listed(std::string_view list, std::string_view option) {
  for (auto at = list.find(option); at != std::string_view::npos; at = list.find(option, at + 1)) {
    const auto behind = at + option.size();
    if (at > 0 && list[at - 1] == ' ' && behind < list.size() && list[behind] == ' ') return true;
  }
  return false;
}

const Wrapper* wrapper_of(std::span<const Word> words, std::size_t at) {
  const auto name = program_name(words[at].text);
  for (const auto& wrapper : kWrappers) {
    if (wrapper.name != name) continue;
    if (wrapper.verb.empty()) return &wrapper;
    if (at + 1 < words.size() && words[at + 1].text == wrapper.verb) return &wrapper;
  }
  return nullptr;
}

// What env was told about variables it does not pass on.
void drop_variables(Command& command, std::string_view option, std::string_view value) {
  if (option == "-i" || option == "-" || option == "--ignore-environment") {
    command.environment.clear();
    return;
  }
  std::string_view name;
  if (option == "-u" || option == "--unset") name = value;
  if (option.starts_with("--unset=")) name = option.substr(8);
  if (name.empty()) return;
  std::erase_if(command.environment, [&](const Setting& set) { return set.name == name; });
}

// Index of the first word after the wrapper's own options and words.
std::size_t skip_own_words(Command& command, const Wrapper& wrapper, std::size_t at) {
  const auto& words = command.words;
  at += wrapper.verb.empty() ? std::size_t{1} : std::size_t{2};
  while (at < words.size() && words[at].text.starts_with('-')) {
    const std::string_view option = words[at].text;
    ++at;
    if (option == "--") break;
    const bool separate = listed(wrapper.with_value, option) && at < words.size();
    if (wrapper.name == "env") drop_variables(command, option, separate ? words[at].text : "");
    // `taskset -c 0-7 cmd` has its list behind -c, `taskset -a 0xff cmd` a mask as a word of its
    // own.
    if (separate) ++at;
    // A parameter of MPI is a name and a value.
    const bool pair = option.ends_with("-mca") || option == "-genv" || option == "-env";
    if (separate && pair && at < words.size()) ++at;
  }
  const bool has_mask =
      wrapper.name == "taskset" && at < words.size() && words[at].text.starts_with("0x");
  return at + wrapper.own_words + (has_mask ? std::size_t{1} : std::size_t{0});
}

Setting setting_of(const Word& word, std::size_t name_length) {
  return {.name = word.text.substr(0, name_length),
          .value = word.text.substr(name_length + 1),
          .span = word.span,
          .literal = word.literal,
          .complete = word.complete};
}

// What is in front of an equals sign; "my.name=x", which env and sudo take and no shell does.
std::optional<std::size_t> any_name_length(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return {};
  return equals;
}

std::size_t take_assignments(Command& command, std::size_t at,
                             std::optional<std::size_t> (*name_length)(std::string_view word)) {
  while (at < command.words.size()) {
    const auto length = name_length(command.words[at].text);
    if (!length) break;
    auto setting = setting_of(command.words[at], *length);
    if (at + 1 < command.words.size()) setting.blank = command.words[at + 1].blank;
    command.environment.push_back(std::move(setting));
    ++at;
  }
  return at;
}

// The sign of a shell that was copied along with the line: "$", "me@host:~$", "root@host:~#".
bool is_prompt(std::string_view word) {
  if (word == "$" || word == "%") return true;
  return word.contains('@') && (word.ends_with('$') || word.ends_with('#'));
}

}  // namespace

std::optional<std::size_t> assigned_name_length(std::string_view word) {
  const auto letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  if (word.empty() || !letter(word[0])) return {};
  std::size_t length = 1;
  while (length < word.size() &&
         (letter(word[length]) || (word[length] >= '0' && word[length] <= '9'))) {
    ++length;
  }
  if (length == word.size() || word[length] != '=') return {};
  return length;
}

std::string_view program_name(std::string_view word) {
  const auto slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

bool is_shell(std::string_view word) {
  constexpr std::array<std::string_view, 6> kShells{"bash", "sh", "dash", "zsh", "ksh", "ash"};
  return std::ranges::find(kShells, program_name(word)) != kShells.end();
}

void take_front(Command& command, LeadingAssignments leading) {
  if (command.words.empty()) return;
  if (command.words.size() > 1 && is_prompt(command.words[0].text)) {
    command.words.erase(command.words.begin());
    leading = LeadingAssignments::Taken;  // a shell would have taken them, had it seen the line
  }
  const bool assigns = leading == LeadingAssignments::Taken &&
                       assigned_name_length(command.words[0].text).has_value();
  if (!assigns && wrapper_of(command.words, 0) == nullptr) return;
  Command tried = command;
  std::size_t at = 0;
  if (leading == LeadingAssignments::Taken) at = take_assignments(tried, at, assigned_name_length);
  while (at < tried.words.size()) {
    const Wrapper* wrapper = wrapper_of(tried.words, at);
    if (wrapper == nullptr) break;
    std::size_t next = skip_own_words(tried, *wrapper, at);
    if (next >= tried.words.size()) break;
    // One word that holds a whole line, as tmux takes it: no program's name.
    if (next + 1 == tried.words.size() && tried.words[next].text.contains(' ')) break;
    for (std::size_t i = at; i < next; ++i) tried.before.push_back(tried.words[i].text);
    if (wrapper->takes_assignments) {
      tried.environment_at = tried.words[next].span.begin;
      tried.assign_at = tried.before.size();
      next = take_assignments(tried, next, any_name_length);
    }
    at = next;
  }
  if (at == 0 || at >= tried.words.size()) return;
  tried.words.erase(tried.words.begin(), tried.words.begin() + static_cast<std::ptrdiff_t>(at));
  command = std::move(tried);
}

}  // namespace sx
