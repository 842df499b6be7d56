package hub

// LaneMode says how the sub-agents of a stream are shown.
type LaneMode uint8

// Lane modes.
const (
	LanesDefault LaneMode = iota // as the dialect says: [Dialect.Lanes], which is LanesNest if it does not
	LanesNest                    // as they are
	LanesTool                    // each as one call: that which spawned it, or one that is made for it; its text is the output
	LanesFlatten                 // as if the root agent had done it all
	LanesHide                    // not at all; the call that spawned one stays

	laneModeCount
)

var laneModeNames = [laneModeCount]string{"default", "nest", "tool", "flatten", "hide"}

func (m LaneMode) String() string { return name(laneModeNames[:], int(m)) }

// LaneModeNames lists the names of all modes.
func LaneModeNames() []string { return laneModeNames[:] }

// ParseLaneMode returns the mode of that name.
func ParseLaneMode(s string) (LaneMode, bool) { return parse[LaneMode](laneModeNames[:], []byte(s)) }
