from openai import OpenAI
print(OpenAI(base_url="http://127.0.0.1:8000/v1").models.list())
