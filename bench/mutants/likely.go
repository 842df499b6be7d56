package main

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// likely knows which tests are worth a try before all others: they only save time.
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

// first puts tests that caught changes to a file before in front of the others, then those that stand in files of similar names.
func (k *likely) first(folder, file string, tests []string) {
	k.mu.Lock()
	caught := slices.Clone(k.caught[folder+" "+file])
	k.mu.Unlock()
	similar := map[string]bool{}
	paths, _ := filepath.Glob(filepath.Join(folder, "*_test.go")) // the pattern is no bad one
	for _, p := range paths {
		if text, err := os.ReadFile(p); err == nil && alike(path.Base(file), filepath.Base(p)) {
			for _, m := range testFunc.FindAllSubmatch(text, -1) {
				similar[string(m[1])] = true
			}
		}
	}
	rank := func(name string) int {
		switch {
		case slices.Contains(caught, name):
			return 0
		case similar[name]:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(tests, func(a, b string) int { return rank(a) - rank(b) })
}

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
