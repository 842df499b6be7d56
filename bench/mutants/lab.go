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
	"slices"
	"strings"
	"time"
)

// memoryLimit is how much address space a run of tests gets, in KiB: a change may make a loop endless.
const memoryLimit = "12582912"

// errBuild says that a change does not compile.
var errBuild = errors.New("does not compile")

// lab builds and runs changed packages in folders that are thrown away.
type lab struct {
	root, dir, module string
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
	module, err := exec.CommandContext(ctx, "go", "list", "-m").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	dir, err := os.MkdirTemp("", "sabir-mutants-")
	return &lab{root: root, dir: dir, module: strings.TrimSpace(string(module))}, err
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
func (b *bench) build(ctx context.Context, folder string, flags ...string) (program string, output []byte, err error) {
	program = filepath.Join(b.dir, strings.ReplaceAll(folder, "/", "_")+".test")
	c := exec.CommandContext(ctx, "go", "test", "-c", "-ldflags=-s -w", "-o", program)
	c.Args = append(c.Args, flags...)
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

func (b *bench) start(ctx context.Context, program, folder, pattern string, limit time.Duration, flags ...string) (outcome, error) {
	hard, cancel := context.WithTimeout(ctx, limit+10*time.Second) // the test's own limit says where it hangs, if it still can
	defer cancel()
	args := []string{"-c", "ulimit -v " + memoryLimit + `; exec "$@"`, "sh", program, "-test.failfast", "-test.short", "-test.timeout=" + limit.String()}
	if pattern != "" {
		args = append(args, "-test.run="+pattern, "-test.v")
	}
	c := exec.CommandContext(hard, "sh", append(args, flags...)...)
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

// tests are the first test that failed, or those that did not come to an end; none if none is named.
func (o outcome) tests() (names []string) {
	if m := failedTest.FindSubmatch(o.output); m != nil {
		return []string{string(m[1])}
	}
	for _, m := range runningTest.FindAllSubmatch(o.output, -1) {
		names = append(names, string(m[1]))
	}
	return slices.Compact(names)
}

// test is the first of them, or "".
func (o outcome) test() string { return strings.Join(o.tests()[:min(1, len(o.tests()))], "") }

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
