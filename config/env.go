package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A reference stands for the value of an environment variable, in any value of the configuration (never in a key):
//
//	${NAME}            the value; a variable that is not set is a problem, and a value that is empty by it a warning
//	${NAME:-default}   the value, or the text up to the brace if the variable is not set or empty
//	$$                 one dollar sign
//
// Other dollars stand for themselves. References do not nest, and a value is not searched again. They are replaced
// after YAML was parsed, one value at a time, so a variable can hold any text and cannot bring in keys or lists.
var (
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

	// escapeDollars makes text that expand turns into the text it was.
	escapeDollars = strings.NewReplacer("$", "$$")
)

// lookup finds an environment variable, as os.LookupEnv does.
type lookup func(name string) (value string, ok bool)

// expand replaces the references in s and reports whether there were any.
func expand(s string, env lookup) (text string, referenced bool, err error) {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, "$")
		out.WriteString(before)
		switch {
		case !found:
			return out.String(), referenced, nil
		case strings.HasPrefix(after, "$"):
			out.WriteByte('$')
			s = after[1:]
		case strings.HasPrefix(after, "{"):
			reference, rest, closed := strings.Cut(after[1:], "}")
			if !closed {
				return "", true, fmt.Errorf("%s has no closing brace; for a literal dollar sign write $$", quote("$"+after))
			}
			value, err := resolve(reference, env)
			if err != nil {
				return "", true, err
			}
			out.WriteString(value)
			s, referenced = rest, true
		default:
			out.WriteByte('$')
			s = after
		}
	}
}

// resolve returns what a reference, the text between its braces, stands for.
func resolve(reference string, env lookup) (string, error) {
	name, fallback, hasDefault := strings.Cut(reference, ":-")
	switch {
	case strings.Contains(reference, "${"):
		return "", fmt.Errorf("references cannot be nested: %s", quote("${"+reference+"}"))
	case !variable.MatchString(name):
		return "", fmt.Errorf("%s is not ${NAME} or ${NAME:-default}; for a literal dollar sign write $$", quote("${"+reference+"}"))
	}
	value, set := env(name)
	switch {
	case hasDefault && value == "":
		return fallback, nil
	case !set:
		return "", fmt.Errorf("environment variable %s is not set; set it, or give a default: ${%s:-default}", name, name)
	case !utf8.ValidString(value):
		return "", fmt.Errorf("environment variable %s is not UTF-8 text", name)
	}
	return value, nil
}
