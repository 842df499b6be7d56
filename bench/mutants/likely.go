package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// likely knows which tests are worth a try before all others: they only save time, the rest runs wherever they pass.
type likely struct {
	mu     sync.Mutex
	caught map[string][]string // tests that caught a change before, by folder and changed file
}

func (k *likely) note(folder, file, test string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.caught == nil {
		k.caught = map[string][]string{}
	}
	if at := folder + " " + file; test != "" && !slices.Contains(k.caught[at], test) {
		k.caught[at] = append(k.caught[at], test)
	}
}

// tests lists the tests of a folder that caught changes to a file before, and those that stand in files of similar names.
func (k *likely) tests(folder, file string) []string {
	k.mu.Lock()
	names := slices.Clone(k.caught[folder+" "+file])
	k.mu.Unlock()
	paths, _ := filepath.Glob(filepath.Join(folder, "*_test.go")) // the pattern is no bad one
	for _, p := range paths {
		if !alike(path.Base(file), filepath.Base(p)) {
			continue
		}
		text, err := os.ReadFile(p)
		if err != nil {
			continue // the tests of the whole folder run all the same
		}
		for _, m := range testFunc.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

var testFunc = regexp.MustCompile(`(?m)^func (Test\w*)\(`)

// alike says whether a part of the name of a file begins as that of a file of tests does, or the other way round.
func alike(file, tests string) bool {
	tests = strings.TrimSuffix(tests, "_test.go")
	for part := range strings.SplitSeq(strings.TrimSuffix(file, ".go"), "_") {
		if strings.HasPrefix(tests, part) || strings.HasPrefix(part, tests) {
			return true
		}
	}
	return false
}

// anyOf makes names a pattern that fits each of them, "" if there are none.
func anyOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "^(" + strings.Join(names, "|") + ")$"
}
