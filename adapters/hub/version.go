package hub

import "github.com/sabir-proxy/sabir/adapters/wire"

// A Version of a dialect's wire format, for those who want to know what a stream speaks. The decoder reads them all.
type Version struct {
	Name string // as people write it: 1.0, v2, "6 or later"

	// Shows reports whether a record can only be of this version, or of one that stands before it. nil: of every record.
	Shows func(rec wire.Record) bool
}

// VersionOf is the name of the first of the versions that a record shows; "" if none does.
func (d *Dialect) VersionOf(records []wire.Record) string {
	for _, v := range d.Versions {
		for _, rec := range records {
			if v.Shows == nil || v.Shows(rec) {
				return v.Name
			}
		}
	}
	return ""
}
