// One word each, the same in every table of the program.
#include "cli/origin_words.h"

namespace sx {

Text origin_words(Origin origin) {
  switch (origin) {
    case Origin::Flag:
      return {"flag", "参数"};
    case Origin::Environment:
      return {"environment", "环境变量"};
    case Origin::Config:
      return {"config", "配置文件"};
    case Origin::Header:
      return {"header", "权重文件头"};
    case Origin::Device:
      return {"device", "设备"};
    case Origin::Measured:
      return {"measured", "实测"};
    case Origin::Default:
      return {"default", "引擎默认值"};
    case Origin::Formula:
      return {"formula", "公式"};
    case Origin::Assumed:
      return {"assumed", "假定"};
  }
  return {"assumed", "假定"};
}

// One unit in the whole table, so that figures stand below one another and can be added.

}  // namespace sx
