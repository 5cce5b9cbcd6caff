package feature

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
)

// EndpointName returns the name of a model behind an embeddings endpoint:
// "endpoint/Qwen3-Embedding-8B/4096". Of the model's name it keeps what stands
// behind the last slash, since servers call one model by its owner and name, by
// its name, or by the folder that it lies in. [Probe] finds the dimensions.
//
// Embedders inside of trawl name themselves: see Name of
// [trawl/agent/llm/hashing.Embedder] and [trawl/agent/llm/static.Embedder].
func EndpointName(model string, dims int) string {
	return fmt.Sprintf("endpoint/%s/%d", path.Base(strings.ReplaceAll(model, `\`, "/")), dims)
}

// folderName returns the folder of an embedder's cache: its name as far as file
// systems take it, and a piece of its hash, which tells apart those that look
// alike then.
func folderName(name string) string {
	sum := sha256.Sum256([]byte(name))
	plain := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '.':
			return r
		}
		return '_'
	}, name)
	return plain[:min(len(plain), 80)] + "-" + hex.EncodeToString(sum[:4])
}
