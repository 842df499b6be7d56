package hub

import (
	"bytes"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// OnWeb reports whether whoever knows the address of a file can ask for it: addresses in the stores of a provider (s3, gs), and those that only
// the client knows, are none such.
func (f *FileRef) OnWeb() bool { return f.hasScheme("http", "https") }

// OnWebOrGoogle reports the same for APIs of Google's, which know the addresses of its own store as well.
func (f *FileRef) OnWebOrGoogle() bool { return f.hasScheme("http", "https", "gs") }

func (f *FileRef) hasScheme(names ...string) bool {
	const longest = 32 // of the name, escaped
	plain := rawjson.AppendUnescaped(nil, f.URL[:min(len(f.URL), longest)])
	name, rest, found := bytes.Cut(plain, []byte("://"))
	return found && len(rest) > 0 && slices.Contains(names, strings.ToLower(string(name)))
}

// DescribesFile reports whether a file has a title or a description, which are for people.
func (ev *Event) DescribesFile() bool { return len(ev.Title)+len(ev.Text) > 0 }

// NamesFile reports whether a file says what it is called: by its name, or by a title or a description.
func (ev *Event) NamesFile() bool { return ev.DescribesFile() || len(ev.Rare().File.Name) > 0 }
