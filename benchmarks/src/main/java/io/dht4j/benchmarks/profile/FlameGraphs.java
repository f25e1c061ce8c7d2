package io.dht4j.benchmarks.profile;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import one.convert.Arguments;
import one.convert.FlameGraph;

/** Draws flame graphs, each a page of HTML that needs no other file: by the converter of async-profiler. */
public final class FlameGraphs {

    /** In percent of the whole: what is narrower is no pixel wide. */
    private static final double MIN_WIDTH = 0.02;

    private FlameGraphs() {}

    /**
     * Draws stacks.
     *
     * @param stacks what was seen
     * @param title what the page says above
     * @param html the file to write
     * @throws IOException if it cannot be written
     */
    public static void write(CollapsedStacks stacks, String title, Path html) throws IOException {
        dump(graph(stacks, title), html);
    }

    /**
     * Draws stacks in colours that say what has become more (red) or less (blue) than in others. Both count for the
     * same total, so that the colours compare shares.
     *
     * @param base what to compare with
     * @param stacks what is drawn
     * @param title what the page says above
     * @param html the file to write
     * @throws IOException if it cannot be written
     */
    public static void writeDifference(CollapsedStacks base, CollapsedStacks stacks, String title, Path html)
            throws IOException {
        FlameGraph graph = graph(stacks, title);
        graph.diff(graph(base.scaledTo(stacks.total()), title));
        dump(graph, html);
    }

    private static FlameGraph graph(CollapsedStacks stacks, String title) throws IOException {
        Arguments arguments = new Arguments("--output", "html", "--title", escaped(title), "--norm");
        arguments.minwidth = MIN_WIDTH;
        FlameGraph graph = new FlameGraph(arguments);
        StringBuilder lines = new StringBuilder();
        stacks.counts()
                .forEach((stack, count) ->
                        lines.append(stack).append(' ').append(count).append('\n'));
        graph.parseCollapsed(new StringReader(lines.toString()));
        return graph;
    }

    private static void dump(FlameGraph graph, Path html) throws IOException {
        try (OutputStream out = Files.newOutputStream(html)) {
            graph.dump(out);
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
