package io.dht4j.server.config;

import io.dht4j.Node;
import java.util.ArrayList;
import java.util.List;

/** Lists of nodes in settings. */
final class NodeList {

    private NodeList() {}

    /**
     * Reads {@code ID=HOST:PORT,...}.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    static List<Node> parse(String text) {
        List<Node> nodes = new ArrayList<>();
        for (String entry : text.split(",", -1)) {
            int equals = entry.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        "expected ID=HOST:PORT, or several with commas between, not \"" + entry.strip() + "\"");
            }
            nodes.add(Node.of(
                    entry.substring(0, equals).strip(),
                    HostPort.parse(entry.substring(equals + 1).strip()).toString()));
        }
        return nodes;
    }
}
