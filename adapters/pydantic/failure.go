package pydantic

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// The wire has no member for failures: a result reads like one. An indicator is a text, or a pattern, by which readers can
// tell.
type indicator struct {
	text    []byte
	pattern *regexp.Regexp // instead of text
}

// literalsOnly leaves patterns out: in the words of a sub-agent they are too easily found.
const literalsOnly = true

// indicatorsOf reads the option: what stands between slashes is a regular expression, unless it is a faulty one; anything
// else is a text.
func indicatorsOf(list []string) []indicator {
	all := make([]indicator, 0, len(list))
	for _, s := range list {
		if len(s) > 2 && strings.HasPrefix(s, "/") && strings.HasSuffix(s, "/") {
			if p, err := regexp.Compile(s[1 : len(s)-1]); err == nil {
				all = append(all, indicator{pattern: p})
				continue
			}
		}
		if s != "" {
			all = append(all, indicator{text: []byte(s)})
		}
	}
	return all
}

// tellsFailure reports whether a text has an indicator.
func (d *decoder) tellsFailure(plain []byte, onlyLiterals bool) bool {
	for i := range d.indicators {
		switch in := &d.indicators[i]; {
		case in.pattern == nil && bytes.Contains(plain, in.text):
			return true
		case in.pattern != nil && !onlyLiterals && in.pattern.Match(plain):
			return true
		}
	}
	return false
}

// bodyTellsFailure is tellsFailure for a string body that belongs to a result.
func (d *decoder) bodyTellsFailure(body []byte) bool {
	if len(body) == 0 || len(d.indicators) == 0 {
		return false
	}
	d.plain = rawjson.AppendUnescaped(d.plain[:0], body)
	return d.tellsFailure(d.plain, !literalsOnly)
}
