// Asks the library gguf-parser-go what llama.cpp would take for one file: FILE CONTEXT, one GPU, all layers on it.
// Its own command is a module of its own that no Go proxy serves, so these lines stand in for it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	parser "github.com/gpustack/gguf-parser-go"
)

func main() {
	file, err := parser.ParseGGUFFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	context, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	run := file.EstimateLLaMACppRun(parser.WithLLaMACppContextSize(int32(context)), parser.WithFlashAttention(),
		parser.WithParallelSize(1))
	json.NewEncoder(os.Stdout).Encode(run)
}
