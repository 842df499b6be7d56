package config

import (
	"reflect"

	"go.yaml.in/yaml/v3"
)

// Admin is where operators come in: an address alone, or a map.
type Admin struct {
	// The address, as host:port. Empty turns it off.
	Listen string `yaml:"listen" jsonschema:"example=127.0.0.1:9090"`
	// Serves operators by TLS, with certificates of its own; without it, by plain HTTP. With client_ca, /metrics, the page and
	// profiles need a certificate of an operator, besides the key where there is one.
	TLS *ServerTLS `yaml:"tls,omitempty"`
}

// anyAdmin is a good address for operators.
const anyAdmin = "127.0.0.1:9090"

var adminType = reflect.TypeFor[Admin]()

// MarshalYAML implements yaml.Marshaler.
func (a Admin) MarshalYAML() (any, error) {
	if a.TLS == nil {
		return a.Listen, nil
	}
	type whole Admin
	return whole(a), nil
}

// admin decodes where operators come in: an address, or a map.
func (d *decoder) admin(n *yaml.Node, v reflect.Value, path string) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.ShortTag() == "!!bool" {
			d.add(path, `must be the address for operators, such as %s, or "" for none; not %s`, anyAdmin, n.Value)
			return
		}
		d.scalar(n, v.FieldByName("Listen"), path, rule{example: anyAdmin})
	case yaml.MappingNode:
		d.structure(n, v, path)
	default:
		d.add(path, "must be an address such as 127.0.0.1:9090, or {listen: 127.0.0.1:9090, tls: {...}}")
	}
}

// admin checks where operators come in.
func (v *validator) admin() {
	a := &v.c.Admin
	if a.Listen == "" {
		v.check(a.TLS == nil, "admin.tls", "has no effect without admin.listen, the address for operators")
		return
	}
	at := "admin"
	if v.stands("admin.listen") {
		at = "admin.listen"
	}
	v.address(at, a.Listen)
	clash := clash(v.c.Listen, a.Listen) && !v.found[at]
	v.check(!clash, "listen", "is taken by admin, %s; give one of them another port", a.Listen)
}

// verifiesOperators reports whether operators need a certificate.
func (a *Admin) verifiesOperators() bool { return a.TLS != nil && a.TLS.ClientCA != "" }

// exposed reports whether other machines can reach the address, and nothing asks them who they are.
func (c *Config) exposed() bool {
	return c.Admin.Listen != "" && !isLoopback(c.Admin.Listen) && c.Auth.AdminSHA256 == "" && !c.Admin.verifiesOperators()
}
