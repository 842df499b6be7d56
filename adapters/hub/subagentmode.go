package hub

// SubAgentMode says how the sub-agents of a stream are shown.
type SubAgentMode uint8

// Sub-agent modes.
const (
	SubAgentsDefault SubAgentMode = iota // as the dialect says: [Dialect.SubAgents], which is SubAgentsNest if it does not
	SubAgentsNest                        // as they are
	SubAgentsTool                        // each as one call: that which spawned it, or one that is made for it; its text is the output
	SubAgentsFlatten                     // as if the root agent had done it all
	SubAgentsHide                        // not at all; the call that spawned one stays

	subAgentModeCount
)

var subAgentModeNames = [subAgentModeCount]string{"default", "nest", "tool", "flatten", "hide"}

func (m SubAgentMode) String() string { return name(subAgentModeNames[:], int(m)) }

// SubAgentModeNames lists the names of all modes.
func SubAgentModeNames() []string { return subAgentModeNames[:] }

// ParseSubAgentMode returns the mode of that name.
func ParseSubAgentMode(s string) (SubAgentMode, bool) {
	return parse[SubAgentMode](subAgentModeNames[:], []byte(s))
}
