package version

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"

	"likc/runtime/num/isa"
)

// Machine describes what times depend on: the processor, how many there are, and the widest vectors that kernels use.
func Machine() string {
	text := fmt.Sprintf("%s, %d CPUs", processor(), runtime.NumCPU())
	if best := isa.Best(); best > isa.Portable {
		text += ", " + best.String()
	}
	return text
}

// processor returns the name that Linux gives the processor, with its family and model: some names lack a number.
func processor() string {
	unknown := runtime.GOOS + "/" + runtime.GOARCH
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return unknown
	}
	defer f.Close()
	facts := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan() && s.Text() != ""; {
		key, value, _ := strings.Cut(s.Text(), ":")
		facts[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	name := facts["model name"]
	if name == "" {
		return unknown
	}
	return fmt.Sprintf("%s (family %s, model %s)", strings.Join(strings.Fields(name), " "), facts["cpu family"], facts["model"])
}
