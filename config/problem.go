package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxProblems are kept; a file with more is no configuration, and the rest would only fill the screen.
const maxProblems = 500

// Problem is one thing that is wrong in a configuration.
type Problem struct {
	File         string
	Line, Column int    // from 1; in characters
	Path         string // such as upstreams.agent.url or routes[0].path; empty for the whole file
	Msg          string
}

func (p Problem) String() string {
	where := fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Column)
	if p.Path != "" {
		where += p.Path + ": "
	}
	return where + p.Msg
}

// Problems are all problems of a configuration in the order of their places.
type Problems []Problem

// Error returns one line for each problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

type place struct{ line, column int }

// report collects problems. It knows where each decoded value stands, so that checks need only name a path.
type report struct {
	file     string
	problems Problems
	places   map[string]place
	found    map[string]bool // paths that have a problem
	dropped  int             // problems over maxProblems
	end      place           // behind the last character of the file
}

// lineBreaks are all that YAML counts as one.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// endOf is the place behind the last character of a file.
func endOf(data []byte) place {
	text := lineBreaks.Replace(string(data))
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return place{strings.Count(text, "\n") + 1, utf8.RuneCountInString(last) + 1}
}

// stands reports whether the file has a value at path.
func (r *report) stands(path string) bool {
	_, ok := r.places[path]
	return ok
}

// add reports a problem at the place of path or, if it is not in the file, of what it would be part of.
func (r *report) add(path, format string, args ...any) {
	owner := path
	for {
		if at, ok := r.places[owner]; ok {
			r.addAt(at, path, format, args...)
			return
		}
		owner = owner[:max(0, strings.LastIndexAny(owner, ".["))]
	}
}

// check reports a problem like add, unless path has one already: a value that could not be read needs no further words.
func (r *report) check(ok bool, path, format string, args ...any) {
	if !ok && !r.found[path] {
		r.add(path, format, args...)
	}
}

// foundIn reports whether path or a part of it has a problem.
func (r *report) foundIn(path string) bool {
	for bad := range r.found {
		if rest, ok := strings.CutPrefix(bad, path); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

func (r *report) addAt(at place, path, format string, args ...any) {
	r.found[path] = true
	if r.end.line > 0 && at.line > r.end.line {
		at = r.end // YAML puts a value that is missing at the end into a line of its own
	}
	if len(r.problems) == maxProblems {
		r.dropped++
		return
	}
	r.problems = append(r.problems, Problem{r.file, at.line, at.column, path, fmt.Sprintf(format, args...)})
}

func (r *report) sorted() Problems {
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path))
	})
	if r.dropped > 0 {
		last := r.problems[len(r.problems)-1]
		r.problems = append(r.problems, Problem{r.file, last.Line, last.Column, "", fmt.Sprintf("%d more problems are not shown", r.dropped)})
	}
	return r.problems
}
