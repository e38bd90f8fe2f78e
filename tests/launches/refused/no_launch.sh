#!/bin/bash
pip install vllm
nvidia-smi
