package io.dht4j.benchmarks.profile;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import one.convert.Arguments;
import one.convert.FlameGraph;

/** Draws flame graphs with async-profiler's converter. Each is a self-contained page of HTML. */
public final class FlameGraphs {

    /** In percent of the whole; narrower frames are below a pixel. */
    private static final double MIN_WIDTH = 0.02;

    private FlameGraphs() {}

    /**
     * Draws stacks.
     *
     * @param stacks of the profile
     * @param title of the page
     * @param html the target file
     * @throws IOException if writing fails
     */
    public static void write(CollapsedStacks stacks, String title, Path html) throws IOException {
        dump(graph(stacks, title), html);
    }

    /**
     * Draws stacks in colours that show a larger (red) or smaller (blue) share than in others. Both are scaled to one
     * total.
     *
     * @param base to compare with
     * @param stacks to draw
     * @param title of the page
     * @param html the target file
     * @throws IOException if writing fails
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
