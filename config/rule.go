package config

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// rule is what the struct tags say of a value. The decoder and the generator of schema.json read the same tags, so
// that both judge alike. Durations and sizes are compared as nanoseconds and bytes.
type rule struct {
	required bool
	enum     []string
	min, max *int64
	example  string // of text, where a number or a switch is likely to stand in its place
	entryOf  string // the map at the top level of which text names an entry, where the entry itself is likely to stand in its place
}

// ruleOf returns the key of a field ("-" for none) and its rule.
func ruleOf(f reflect.StructField) (key string, r rule) {
	key, _, _ = strings.Cut(f.Tag.Get("yaml"), ",")
	for word := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "required":
			r.required = true
		case "enum":
			r.enum = append(r.enum, value)
		case "minimum":
			r.min = bound(value)
		case "maximum":
			r.max = bound(value)
		case "example":
			r.example = value
		case "entry":
			r.entryOf = value
		}
	}
	return key, r
}

// bound reads the number of a tag; the tags are ours, so it cannot fail on account of a user.
func bound(s string) *int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("BUG: bad bound in a struct tag: " + s)
	}
	return &n
}

// check says what is wrong with a decoded value.
func (r rule) check(v reflect.Value) error {
	if v.Kind() == reflect.String {
		return r.checkText(v.String())
	}
	if !v.CanInt() {
		return nil
	}
	// The usual bounds are said in words: "at least 1ns" would be true of a duration, but useless.
	switch n := v.Int(); {
	case r.min != nil && n < *r.min && *r.min == 1:
		return errors.New("must be more than 0")
	case r.min != nil && n < *r.min && *r.min == 0:
		return errors.New("must not be negative")
	case r.min != nil && n < *r.min:
		return fmt.Errorf("must be at least %s", amount(v, *r.min))
	case r.max != nil && n > *r.max:
		return fmt.Errorf("must be at most %s", amount(v, *r.max))
	}
	return nil
}

// checkText says what is wrong with text.
func (r rule) checkText(s string) error {
	if r.enum == nil || slices.Contains(r.enum, s) {
		return nil
	}
	words := slices.DeleteFunc(slices.Clone(r.enum), func(w string) bool { return w == "" })
	return fmt.Errorf("cannot be %s; use %s", quote(s), strings.Join(words, ", "))
}

// amount writes n in the unit of v.
func amount(v reflect.Value, n int64) string {
	switch v.Interface().(type) {
	case Size:
		return Size(n).String()
	case time.Duration:
		return time.Duration(n).String()
	}
	return strconv.FormatInt(n, 10)
}

// suggest helps with a key that is not known.
func suggest(key string, known []string) string {
	if near := Nearest(key, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "known here: " + strings.Join(known, ", ")
}

// Nearest returns the known word that a word is most likely a misspelling of; "" if there is none.
func Nearest(word string, known []string) string {
	// Ties go to the word that comes first, in the order of the manual.
	best, least := "", len(word)/3+1 // more edits than that are another word
	for _, k := range known {
		if n := distance(strings.ToLower(word), k); n <= least && (best == "" || n < least) {
			best, least = k, n
		}
	}
	return best
}

// distance counts the edits (insert, delete, replace, swap neighbours) that turn a into b. Long words are far from all.
func distance(a, b string) int {
	if len(a) > 2*len(b) || len(b) > 2*len(a) {
		return len(a) + len(b)
	}
	// Two finished rows of the edit matrix are enough: a swap of neighbours looks two rows back.
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			replace := 1
			if a[i] == b[j] {
				replace = 0
			}
			row[j+1] = min(last[j]+replace, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// plainKey matches the keys that paths show as they are.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9_*/-]{1,64}$`)

// join appends a key to a path; keys that would blur the path are quoted.
func join(path, key string) string {
	if !plainKey.MatchString(key) {
		key = quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// index appends a position in a list to a path.
func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// quote makes any text fit for one line of a message.
func quote(s string) string { return strconv.Quote(clip(s)) }

// clip cuts text that is too long to repeat.
func clip(s string) string {
	const most = 80 // bytes; enough for every sensible value
	if len(s) <= most {
		return s
	}
	n := most
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
