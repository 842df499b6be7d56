package config

import (
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestKeysInDocuments checks that keys which documents name by their paths, such as limits.streams, are there.
func TestKeysInDocuments(t *testing.T) {
	keys := allKeys(reflect.TypeFor[Config](), "")
	known := func(path string) bool {
		return slices.ContainsFunc(keys, func(key string) bool {
			return strings.HasSuffix(strings.ReplaceAll(key, ".*", ""), "."+path)
		})
	}
	group := func(name string) bool {
		return name != "upstreams" && name != "routes" && slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, "."+name+".") })
	}
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile("`([a-z_]+)(\\.[a-z0-9_]+)+[`:]")
	named := 0
	for _, page := range append(pages, "../README.md", "../examples/sabir.yaml") {
		for _, m := range path.FindAllStringSubmatch(string(read(t, page)), -1) {
			key := strings.Trim(m[0], "`:")
			if !group(m[1]) {
				continue
			}
			if named++; !known(key) {
				t.Errorf("%s names %s, which is no key", page, key)
			}
		}
	}
	if named < 50 {
		t.Errorf("only %d keys were looked for", named)
	}
}
