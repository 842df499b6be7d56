package config

import (
	"bytes"
	_ "embed"
)

//go:generate go test . -run ^Test(Schema|Reference)$ -update

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the configuration, for editors. It is made from the types of this
// package. What it accepts has the right structure; whether names, dialects and addresses are good, only Load can say.
func Schema() []byte { return bytes.Clone(schema) }
