package config

import (
	"regexp"
	"strings"
)

// Redact says what must not leave to clients, in whatever the agent says: texts, reasoning, arguments and results of tools, state,
// files' names, errors. Streams are searched across the borders of their records, and so they are translated even where both sides
// speak the same dialect. Records that Sabir does not know are dropped.
type Redact struct {
	// Built-in patterns: keys of APIs, tokens and private keys; numbers of cards, by their check digit; e-mail addresses; IP addresses.
	Builtin []string `yaml:"builtin" jsonschema:"enum=keys,enum=cards,enum=emails,enum=ips"`
	// Patterns of your own.
	Patterns []RedactPattern `yaml:"patterns"`
	// What becomes of a match: mask writes [redacted:NAME] in its place; block ends the run with the error content_blocked.
	Action string `yaml:"action" jsonschema:"enum=mask,enum=block"`
}

// RedactPattern is a pattern of one's own.
type RedactPattern struct {
	// Stands in the mask and in metrics: 1 to 32 small letters, digits, _ and -.
	Name string `yaml:"name" jsonschema:"required"`
	// A regular expression as of Go (RE2), without ^ and $. A match lies within one string of JSON.
	Regexp string `yaml:"regexp" jsonschema:"required"`
	// The longest match in bytes, which is how much of a text may have to wait. 0: as the expression says, if it has a bound.
	Max int `yaml:"max" jsonschema:"minimum=0,maximum=16384"`
	// Only in calls of these tools, arguments and results, whose names may end in *. Empty: in everything.
	Tools []string `yaml:"tools"`
	// What becomes of a match; default is the action of the route.
	Action string `yaml:"action" jsonschema:"enum=default,enum=mask,enum=block"`
}

// IsZero reports whether nothing is redacted.
func (r *Redact) IsZero() bool { return len(r.Builtin)+len(r.Patterns) == 0 }

// Blocks reports whether a match of the pattern ends the run.
func (r *Redact) Blocks(p *RedactPattern) bool {
	return p.Action == "block" || p.Action != "mask" && r.Action == "block"
}

func (p *RedactPattern) inherit(*Config) { p.Action = "default" }

// A PatternChecker is a Dialects that knows patterns of what must not leave.
type PatternChecker interface {
	// CheckPattern returns what is wrong with a regular expression whose longest match has so many bytes, 0 for what it says itself; nil when fine.
	CheckPattern(expr string, longest int) error
}

var patternName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// redact checks what must not leave.
func (v *validator) redact(at string, r *Redact) {
	v.distinct(at+".builtin", r.Builtin)
	names := map[string]bool{"keys": true, "cards": true, "emails": true, "ips": true}
	for i, p := range r.Patterns {
		where := index(at+".patterns", i)
		if v.foundIn(where) {
			continue
		}
		v.check(patternName.MatchString(p.Name), where+".name", "must be 1 to 32 small letters, digits, _ and -")
		v.check(!names[p.Name], where+".name", "%s is the name of an earlier pattern, or of a built-in one", quote(p.Name))
		names[p.Name] = true
		v.patterns(where+".tools", p.Tools)
		if checker, ok := v.dialects.(PatternChecker); ok {
			err := checker.CheckPattern(p.Regexp, p.Max)
			v.check(err == nil, where+".regexp", "%s: %v", quote(strings.TrimSpace(p.Regexp)), err)
		}
	}
}
