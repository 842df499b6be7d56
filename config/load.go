package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxFile is the largest configuration or certificate file, in bytes. Real ones have a few thousand.
const maxFile = 1 << 20

// Dialects tells the validator what exists; implemented by the registry.
type Dialects interface {
	// Check returns every problem with the use of dialect name on a side ("upstream" or "client") with these options;
	// nil when fine. An unknown name is one problem that lists the known names. Check is also asked about the name
	// with no options, and about each option alone, to learn where a problem belongs.
	Check(name, side string, options map[string]any) []error
}

// A Declarer is a Dialects that learns of dialects described in files.
type Declarer interface {
	// Declare adds the dialect name. It returns every problem with the document; nil when fine.
	Declare(name string, doc map[string]any) []DialectProblem
}

// A RequestChecker is a Dialects that knows how requests are written.
type RequestChecker interface {
	// CheckRequestDialect returns why requests cannot have the form of a dialect; nil when they can.
	CheckRequestDialect(name string) error
	// CheckRequest returns what is wrong with the template of a request; nil when fine.
	CheckRequest(template string) error
}

// A ModelChecker is a Dialects that knows whose requests name a model.
type ModelChecker interface {
	// LacksModel reports whether agents whose requests have the form of a dialect refuse what comes of clients of another, as these name
	// no model.
	LacksModel(client, form string) bool
}

// DialectProblem is one thing that is wrong in the description of a dialect.
type DialectProblem struct {
	Path string // within the document, such as decode[3].set.text; empty for the whole
	Msg  string
}

// Load reads and checks the configuration file at path; see [Parse]. The certificates that it names are read as well,
// to see that they are there. The error is [Problems], or says why the file cannot be read.
func Load(path string, d Dialects, env func(string) (string, bool)) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	return parse(path, data, d, env, true)
}

// Parse checks the configuration in data. name is its file name: problems begin with it, and its folder is where
// relative file names in it are seen from. env looks up environment variables, as os.LookupEnv does; nil means none
// are set. d may be nil, then the names and options of dialects are not checked. The error is [Problems].
//
// Parse reads no files and is deterministic.
func Parse(name string, data []byte, d Dialects, env func(string) (string, bool)) (*Config, error) {
	return parse(name, data, d, env, false)
}

// ParseFiles is Parse of a text that stands in no file: those that it names are read as Load reads them.
func ParseFiles(name string, data []byte, d Dialects, env func(string) (string, bool)) (*Config, error) {
	return parse(name, data, d, env, true)
}

func parse(name string, data []byte, d Dialects, env lookup, readFiles bool) (*Config, error) {
	if env == nil {
		env = func(string) (string, bool) { return "", false }
	}
	r := &report{file: name, places: map[string]place{"": {1, 1}}, found: map[string]bool{}}
	c := defaults()
	if root := r.document(data); root != nil && decode(root, c, r, env) {
		c.normalize(filepath.Dir(name))
		if !r.stands("limits.bodies") {
			c.Limits.Bodies = max(c.Limits.Bodies, c.LargestBody())
		}
		if readFiles {
			readDialects(c, d, r)
		}
		validate(c, d, r)
		if readFiles {
			checkFiles(c, r)
		}
	}
	if len(r.problems) > 0 {
		return nil, r.sorted()
	}
	return c, nil
}

// readFile reads a whole file, if it is not too large for a configuration or a certificate bundle.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than 1 MiB", path)
	}
	return data, err
}

// document parses YAML. It returns nil, and has reported why, unless data is exactly one document.
func (r *report) document(data []byte) *yaml.Node {
	if len(data) > maxFile {
		r.add("", "is larger than 1 MiB")
		return nil
	}
	if !utf8.Valid(data) {
		r.add("", "is not UTF-8 text")
		return nil
	}
	r.end = endOf(data)
	parser := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := parser.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && isEmpty(&doc) {
		r.add("", "holds no configuration")
		return nil
	}
	if err == nil {
		err = parser.Decode(&second)
		if err == nil {
			r.addAt(place{second.Line, second.Column}, "", "holds more than one document; remove this one")
			return nil
		}
	}
	if !errors.Is(err, io.EOF) {
		r.syntax(err, data)
		return nil
	}
	return doc.Content[0]
}

// isEmpty reports whether doc is only a comment or a document mark.
func isEmpty(doc *yaml.Node) bool {
	return len(doc.Content) == 0 || doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].Value == ""
}

var syntaxError = regexp.MustCompile(`^(?:yaml: )?(?:line ([0-9]+): )?(.*)`)

// syntax reports an error of the YAML parser, which ends the reading.
func (r *report) syntax(err error, data []byte) {
	line, msg := syntaxProblem(err, data)
	r.addAt(place{line, 1}, "", "%s", msg)
}

// syntaxProblem is what an error of the YAML parser says, which knows only a line, and what helps against the commonest ones.
func syntaxProblem(err error, data []byte) (line int, msg string) {
	m := syntaxError.FindStringSubmatch(err.Error()) // fits any text
	lines := strings.Split(string(data), "\n")
	line, _ = strconv.Atoi(m[1])
	if strings.HasPrefix(m[2], "did not find expected") && !strings.HasSuffix(m[2], " character") {
		line++ // the parser counts from 0 here, and its scanner from 1
	}
	if anchor := unknownAnchor.FindStringSubmatch(err.Error()); anchor != nil { // the parser does not say where
		line = 1 + slices.IndexFunc(lines, func(text string) bool { return strings.Contains(text, "*"+anchor[1]) })
	}
	line = min(max(line, 1), len(lines))
	hint := ""
	switch text := lines[line-1]; {
	case strings.Contains(text, "${") && strings.ContainsAny(strings.ReplaceAll(text, "${", ""), "[{"):
		hint = `; inside [ ] and { } a reference needs quotes: "${NAME}"`
	case reservedValue.MatchString(text):
		hint = "; a value that begins with @ or ` needs quotes"
	case reservedMark.MatchString(text):
		hint = "; a value that begins with * or & needs quotes"
	case tabIndent.MatchString(text):
		hint = "; lines are indented by spaces, not by tabs"
	}
	return line, fmt.Sprintf("is not valid YAML here or in the block that begins here: %s%s", clip(m[2]), hint)
}

var (
	reservedValue = regexp.MustCompile("[:,\\[-] *[@`]")
	reservedMark  = regexp.MustCompile(`[:,\[-] *[*&]`)
	unknownAnchor = regexp.MustCompile("unknown anchor '([^']+)'")
	tabIndent     = regexp.MustCompile(`^ *\t`)
)
