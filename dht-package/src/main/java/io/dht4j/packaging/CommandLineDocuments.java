package io.dht4j.packaging;

import io.dht4j.server.cli.Dht;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine;

/** Writes the manual pages of the command line, and its completion for bash. */
public final class CommandLineDocuments {

    private CommandLineDocuments() {}

    /**
     * Writes the files {@code man/man1/*.1} and {@code bash-completion/completions/dht}, which have the same content
     * for the same arguments.
     *
     * @param args the directory of the files; the version of the product; its date, as in {@code 2026-11-20}, with
     *     anything behind it
     * @throws IOException if a file cannot be written
     */
    public static void main(String[] args) throws IOException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        if (args.length != 3) {
            throw new IllegalArgumentException("expected a directory, a version and a date");
        }
        Path directory = Path.of(args[0]);
        Path pages = Files.createDirectories(directory.resolve("man/man1"));
        CommandLine dht = Dht.commandLine();
        ManualPages manual = new ManualPages(dht, args[1], args[2].substring(0, "2026-11-20".length()));
        Files.writeString(pages.resolve("dht.1"), manual.overview());
        write(pages, manual, dht);
        Path completions = Files.createDirectories(directory.resolve("bash-completion/completions"));
        Files.writeString(
                completions.resolve("dht"),
                AutoComplete.bash("dht", dht)
                        .replace(System.lineSeparator(), "\n")
                        .replaceAll("(?m)[ \\t]+$", ""));
    }

    /** Writes the pages of the commands below a command. */
    private static void write(Path pages, ManualPages manual, CommandLine above) throws IOException {
        for (CommandLine command : ManualPages.commands(above)) {
            Files.writeString(pages.resolve(ManualPages.name(command) + ".1"), manual.page(command));
            write(pages, manual, command);
        }
    }
}
