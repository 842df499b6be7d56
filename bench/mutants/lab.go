package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// memoryLimit is how much address space a run of tests gets, in KiB: a change may make a loop endless.
const memoryLimit = "12582912"

// errBuild says that a change does not compile.
var errBuild = errors.New("does not compile")

// lab builds and runs changed packages in folders that are thrown away.
type lab struct {
	root, dir string
}

func newLab(ctx context.Context) (*lab, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(out)))
	if err := os.Chdir(root); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sabir-mutants-")
	return &lab{root: root, dir: dir}, err
}

func (l *lab) close() { os.RemoveAll(l.dir) }

// files lists the Go files of a folder that are built on this system.
func (l *lab) files(ctx context.Context, folder string) ([]string, error) {
	c := exec.CommandContext(ctx, "go", "list", "-f", "{{join .GoFiles \"\\n\"}}", "./"+folder)
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list ./%s: %w", folder, err)
	}
	return strings.Fields(string(out)), nil
}

// bench is a folder for one run of a changed program.
type bench struct {
	l       *lab
	dir     string
	overlay string // the flag; "" for the code as it is
	env     []string
}

// prepare writes an overlay in which files, named from the root, have other contents.
func (l *lab) prepare(files map[string][]byte) (*bench, error) {
	dir, err := os.MkdirTemp(l.dir, "")
	if err != nil {
		return nil, err
	}
	b := &bench{l: l, dir: dir}
	if len(files) == 0 {
		return b, nil
	}
	replace := map[string]string{}
	for name, text := range files {
		changed := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(changed, text, 0o600); err != nil {
			return nil, err
		}
		replace[filepath.Join(l.root, filepath.FromSlash(name))] = changed
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "overlay.json")
	b.overlay = "-overlay=" + path
	return b, os.WriteFile(path, text, 0o600)
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// outcome is how a run of tests ended.
type outcome struct {
	output       []byte
	failed, hung bool // hung is failed too: the limit of time was hit
}

// build compiles the tests of a folder. err is errBuild or a fault of the machine.
func (b *bench) build(ctx context.Context, folder string) (program string, output []byte, err error) {
	program = filepath.Join(b.dir, strings.ReplaceAll(folder, "/", "_")+".test")
	c := exec.CommandContext(ctx, "go", "test", "-c", "-ldflags=-s -w", "-o", program)
	if b.overlay != "" {
		c.Args = append(c.Args, b.overlay)
	}
	c.Args = append(c.Args, "./"+folder)
	c.Dir = b.l.root
	if out, err := c.CombinedOutput(); err != nil {
		return "", out, errors.Join(errBuild, ctx.Err())
	}
	return program, nil, nil
}

// test builds the tests of a folder and runs those whose names fit pattern, all if it is "".
func (b *bench) test(ctx context.Context, folder, pattern string, limit time.Duration) (outcome, error) {
	program, out, err := b.build(ctx, folder)
	if err != nil {
		return outcome{output: out}, err
	}
	defer os.Remove(program)
	return b.start(ctx, program, folder, pattern, limit)
}

// testTwice is test for all tests, those of first before the others, but a failure that does not come again is none: a busy
// machine lets tests of timing fail. The test that failed is tried alone, then all are.
func (b *bench) testTwice(ctx context.Context, folder string, first []string, limit time.Duration) (outcome, error) {
	program, out, err := b.build(ctx, folder)
	if err != nil {
		return outcome{output: out}, err
	}
	defer os.Remove(program)
	return b.runTwice(ctx, program, folder, first, limit)
}

func (b *bench) runTwice(ctx context.Context, program, folder string, first []string, limit time.Duration) (outcome, error) {
	if len(first) > 0 {
		if o, err := b.again(ctx, program, folder, anyOf(first), limit); err != nil || o.failed {
			return o, err
		}
	}
	return b.again(ctx, program, folder, "", limit)
}

// again runs the tests whose names fit a pattern; what fails has failed only if it fails again.
func (b *bench) again(ctx context.Context, program, folder, names string, limit time.Duration) (outcome, error) {
	o, err := b.start(ctx, program, folder, names, limit)
	if err != nil || !o.failed {
		return o, err
	}
	if name := o.test(); name != "" {
		alone, err := b.start(ctx, program, folder, pattern(name), limit)
		if err != nil || alone.failed {
			return alone, err
		}
	}
	return b.start(ctx, program, folder, names, limit)
}

func (b *bench) start(ctx context.Context, program, folder, pattern string, limit time.Duration) (outcome, error) {
	hard, cancel := context.WithTimeout(ctx, limit+10*time.Second) // the test's own limit says where it hangs, if it still can
	defer cancel()
	args := []string{"-c", "ulimit -v " + memoryLimit + `; exec "$@"`, "sh", program, "-test.failfast", "-test.short", "-test.timeout=" + limit.String()}
	if pattern != "" {
		args = append(args, "-test.run="+pattern, "-test.v")
	}
	c := exec.CommandContext(hard, "sh", args...)
	c.Dir, c.Env = filepath.Join(b.l.root, filepath.FromSlash(folder)), b.env
	c.WaitDelay = time.Second
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	hung := err != nil && (hard.Err() != nil || timeLimit.Match(out.Bytes()))
	return outcome{output: out.Bytes(), failed: err != nil, hung: hung}, nil
}

var (
	timeLimit   = regexp.MustCompile(`(?m)^panic: test timed out after`)
	failedTest  = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	runningTest = regexp.MustCompile(`(?m)^\t+(\w+)\S* \(\S+\)$`)
	crash       = regexp.MustCompile(`(?m)^(?:panic|fatal error): .*`)
)

// test is the first test that failed or did not come to an end, "" if none is named.
func (o outcome) test() string {
	for _, re := range []*regexp.Regexp{failedTest, runningTest} {
		if m := re.FindSubmatch(o.output); m != nil {
			return string(m[1])
		}
	}
	return ""
}

// reason says in a few words why tests failed.
func (o outcome) reason() string {
	switch name := o.test(); {
	case o.hung:
		return strings.TrimSpace("time limit " + name)
	case name != "":
		return name
	}
	if m := crash.Find(o.output); m != nil {
		return string(m)
	}
	return "no answer"
}
