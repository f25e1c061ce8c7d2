package io.dht4j.server.cli;

import io.dht4j.server.cli.console.Messages;
import io.dht4j.server.config.SimilarWords;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Suggests words for a mistyped one of a command line. For options, picocli suggests only those with the same two first
 * letters.
 */
public final class Suggestions {

    private Suggestions() {}

    /**
     * Suggests words for the first unknown word of a command line.
     *
     * @param e the error of the command line
     * @param alsoCommands commands that the command line itself does not know
     * @return a line for the user; empty if nothing is similar, or the command line has another error
     */
    public static Optional<String> of(ParameterException e, Collection<String> alsoCommands) {
        String unknown = Messages.unknown(e);
        CommandLine command = e.getCommandLine();
        Set<String> words = new LinkedHashSet<>();
        if (unknown.startsWith("-")) {
            for (OptionSpec option : command.getCommandSpec().options()) {
                words.addAll(List.of(option.names()));
            }
            words.removeIf(name -> !name.startsWith("--"));
        } else if (isAbove(command)) {
            words.addAll(command.getSubcommands().keySet());
            words.addAll(alsoCommands);
        }
        return SimilarWords.suggestion(unknown, words);
    }

    private static boolean isAbove(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        return !spec.subcommands().isEmpty();
    }
}
