package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// codecSample runs the benchmark of one pair in package bench.
func (g *rig) codecSample(ctx context.Context, c *cell) (sample, error) {
	program := filepath.Join(g.dir, "bench.test")
	if _, err := os.Stat(program); err != nil {
		build := exec.CommandContext(ctx, "go", "test", "-c", "-o", program, "github.com/sabir-proxy/sabir/bench")
		if out, err := build.CombinedOutput(); err != nil {
			return sample{}, fmt.Errorf("cannot build the benchmarks (run this from the repository): %w: %s", err, lastLine(out))
		}
	}
	name := fmt.Sprintf("^BenchmarkPair$/^%s$/^%s$/^deltas$", c.From, c.To)
	out, err := exec.CommandContext(ctx, program, "-test.run", "^$", "-test.bench", name, "-test.benchtime", c.d.String()).CombinedOutput()
	if err != nil {
		return sample{}, fmt.Errorf("benchmark %s: %w: %s", name, err, lastLine(out))
	}
	return benchmarkSample(out)
}

// benchmarkSample reads the line of a benchmark. As there is no process but the benchmark, CPU is that of a million
// events.
func benchmarkSample(out []byte) (s sample, err error) {
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "BenchmarkPair/") {
			continue
		}
		const million = 1_000_000
		s = sample{Streams: 1, Events: million, CPU: -1, Others: -1, Allocs: -1}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return s, err
			}
			switch fields[i+1] {
			case "ns/event":
				s.Seconds = value * million / 1e9
			case "cpu-ns/event":
				s.CPU = value * million / 1e9
			case "allocs/event":
				s.Allocs = value
			}
		}
		return s, nil
	}
	return s, fmt.Errorf("the benchmark says nothing: %s", lastLine(out))
}
