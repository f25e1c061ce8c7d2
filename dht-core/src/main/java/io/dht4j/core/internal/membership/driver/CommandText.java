package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.command.Command;

/** Describes the driver's commands for its log. */
final class CommandText {

    private CommandText() {}

    static String of(Command command) {
        if (command instanceof Command.StartBatch start) {
            return start.partitions().cardinality() + " partitions begin to move from member " + start.from() + " to "
                    + start.to();
        }
        if (command instanceof Command.StartGrow start) {
            return start.partitions().cardinality() + " partitions get one more replica at member " + start.to()
                    + ", copied from " + start.from();
        }
        if (command instanceof Command.CompleteGrow grow) {
            return grow.partitions().cardinality() + " partitions have one more replica";
        }
        if (command instanceof Command.CompleteFill fill) {
            return fill.partitions().cardinality() + " partitions of a batch are filled";
        }
        return command.toString();
    }
}
