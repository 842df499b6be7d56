// Package rawjson is the only package that knows how JSON is read. It decodes a record into raw fields that alias the
// record, walks values that were validated once, and appends, escapes and unescapes strings.
package rawjson
