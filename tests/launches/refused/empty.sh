# nothing but a remark
