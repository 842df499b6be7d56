package config

import (
	"maps"
	"slices"
)

// Tracing sends a span of each run to a collector of OpenTelemetry, by OTLP over HTTP. It is read once, at the start.
type Tracing struct {
	// The collector, such as http://localhost:4318; a path other than / is used as it is, else spans go to /v1/traces. Left out: what
	// OTEL_EXPORTER_OTLP_ENDPOINT and the other variables of OpenTelemetry say.
	Endpoint *URL `yaml:"endpoint,omitempty"`
	// Header fields for it, such as credentials.
	Headers map[string]Secret `yaml:"headers"`
	// How many runs in a hundred have a span. Of a request that belongs to a trace already, the trace says it.
	Sample int `yaml:"sample" jsonschema:"minimum=0,maximum=100"`
	// What this proxy is called in traces.
	ServiceName string `yaml:"service_name"`
	// How many spans may wait for the collector; more are dropped, and counted.
	Queue int `yaml:"queue" jsonschema:"minimum=1,maximum=1000000"`
}

func (t *Tracing) inherit(*Config) { t.Sample, t.ServiceName, t.Queue = 100, "sabir", 2048 }

// tracing checks the collector.
func (v *validator) tracing(t *Tracing) {
	if t == nil {
		return
	}
	v.check(t.Endpoint == nil || !t.Endpoint.WebSocket(), "tracing.endpoint", "must be an http or https URL")
	v.check(t.ServiceName != "", "tracing.service_name", "must not be empty")
	for _, field := range slices.Sorted(maps.Keys(t.Headers)) {
		value, where := t.Headers[field], join("tracing.headers", field)
		v.field(where, field)
		v.check(isFieldValue(string(value)), where, "holds a line break or another character that no header field may have")
	}
}
