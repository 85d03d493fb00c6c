package version

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"

	"likc/runtime/num/isa"
)

// Machine describes the machine, for reports of measured times: the processor's name, the number of processors,
// and the widest vectors that kernels use.
func Machine() string {
	text := fmt.Sprintf("%s, %d CPUs", processor(), runtime.NumCPU())
	if best := isa.Best(); best > isa.Portable {
		text += ", " + best.String()
	}
	return text
}

// processor returns the processor's name as Linux gives it, with its family and model numbers, because some
// names have no number. On other systems it returns the operating system and architecture.
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
