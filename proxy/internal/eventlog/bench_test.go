package eventlog

import "testing"

// BenchmarkLog keeps what a run says, an event of usual size at a time, for one reader.
func BenchmarkLog(b *testing.B) {
	var runs Runs[int]
	runs.Limit(1 << 30)
	event := make([]byte, 83)
	for b.Loop() {
		run := runs.Begin(0, 1<<20, false)
		reader, err := run.Open(1)
		if err != nil {
			b.Fatal(err)
		}
		for range 1000 {
			run.Append(event)
			if p, err := reader.Next(); len(p) != len(event) && err == nil {
				for n := len(p); n < len(event); n += len(p) { // a chunk has ended within
					p, _ = reader.Next()
				}
			}
		}
		reader.Close()
		_, _, held := runs.Count()
		b.ReportMetric(float64(held)/(1000*float64(len(event))), "bytes/byte")
		runs.End(run, nil, 0)
		runs.forget(run)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1000/float64(b.N), "ns/event")
}
