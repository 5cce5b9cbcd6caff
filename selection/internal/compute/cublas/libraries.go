//go:build cgo && linux

package cublas

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// pathVariable names the folders to look in instead of the usual places.
const pathVariable = "TRAWL_CUDA_LIBS"

// A libraries is the files of one version of CUDA. A name without a folder is
// left to the loader; an empty one was not found.
type libraries struct {
	version                  int
	cudart, cublasLt, cublas string
}

// candidates returns what to try, the best first. named is the value of
// pathVariable.
func candidates(named string) []libraries {
	if named != "" {
		return installed(filepath.SplitList(named))
	}
	return append(versions(), installed(toolkits())...)
}

// versions returns the names of the libraries of each version, the newest first.
func versions() []libraries {
	var out []libraries
	for _, version := range []int{13, 12, 11} {
		l := libraries{
			version:  version,
			cudart:   fmt.Sprintf("libcudart.so.%d", version),
			cublasLt: fmt.Sprintf("libcublasLt.so.%d", version),
			cublas:   fmt.Sprintf("libcublas.so.%d", version),
		}
		if version == 11 { // the one runtime whose name has a minor version
			l.cudart += ".0"
		}
		out = append(out, l)
	}
	return out
}

// toolkits returns the folders where CUDA is usually installed, the newest first.
func toolkits() []string {
	folders := []string{"/usr/local/cuda/lib64"}
	numbered, _ := filepath.Glob("/usr/local/cuda-*/lib64") // the pattern is well-formed
	slices.Reverse(numbered)
	return append(append(folders, numbered...), "/opt/cuda/lib64")
}

// installed returns the versions whose runtime lies in one of the folders. The
// libraries of one version may lie in different folders.
func installed(folders []string) []libraries {
	var out []libraries
	for _, l := range versions() {
		l.cudart, l.cublasLt, l.cublas = find(folders, l.cudart), find(folders, l.cublasLt), find(folders, l.cublas)
		if l.cudart != "" {
			out = append(out, l)
		}
	}
	return out
}

// find returns the path of the first file of that name, or "". The path is
// absolute: the loader would look for a mere name elsewhere.
func find(folders []string, name string) string {
	for _, folder := range folders {
		path, err := filepath.Abs(filepath.Join(folder, name))
		if err != nil {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}
