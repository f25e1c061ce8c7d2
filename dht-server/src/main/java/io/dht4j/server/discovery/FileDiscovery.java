package io.dht4j.server.discovery;

import io.dht4j.Node;
import io.dht4j.spi.Discovery;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.TextFiles;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Finds nodes in a file, which is read each time: lines of {@code NAME=HOST:PORT}, several with commas between;
 * {@code #} begins a comment.
 */
public final class FileDiscovery implements Discovery {

    private static final int MOST_BYTES = 1 << 20;

    private final Path file;
    private final Function<String, List<Node>> parser;

    /**
     * Creates a discovery.
     *
     * @param file the file, at most 1 MiB
     * @param parser reads {@code NAME=HOST:PORT,...}
     */
    public FileDiscovery(Path file, Function<String, List<Node>> parser) {
        this.file = file;
        this.parser = parser;
    }

    @Override
    public List<Node> find() throws IOException {
        List<Node> nodes = new ArrayList<>();
        int number = 0;
        try {
            for (String line : TextFiles.read(file, MOST_BYTES).lines().toList()) {
                number++;
                String text = line.replaceFirst("#.*", "").strip();
                if (!text.isEmpty()) {
                    nodes.addAll(parser.apply(text));
                }
            }
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file, e);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " line " + number + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + FileFailure.inWords(e), e);
        }
        return nodes;
    }
}
