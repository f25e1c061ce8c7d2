package io.dht4j.server.log;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Translates the remedies in messages of the libraries into commands and options of this program. The libraries name
 * calls, such as {@code membership().add(new NodeId("n4"))}, since an application has no command line; the operator of
 * a server has {@code ./dht nodes add n4}. All messages of a library that a server or a command shows pass through this
 * class.
 *
 * <p>A text without a remedy stays unchanged. A name of a class or method is translated only in the phrases of the
 * libraries, so that a node or key of the same name keeps its name. The time is linear in the length of the text. Safe
 * for use by any number of threads.
 */
public final class ShellWords {

    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
    private static final String BEFORE_MEMBERSHIP = "(?<=\\b(?:with|and|or|of|in|same|membership,) )";

    /** What a message about a damaged store says for clusters whose nodes are fixed, before the rest. */
    private static final String FOR_FIXED_NODES =
            "start the node after Rebuild.begin, which puts the directory's files aside and gets the entries back "
                    + "from the other replicas, or, in a cluster of Membership.bootstrap, ";

    /** What it says for other clusters, after that. */
    private static final String FOR_OTHERS =
            ", or, in a cluster of Membership.bootstrap, call membership().replace for "
                    + "this node and start it with an empty directory and Membership.join";

    private static final List<Remedy> REMEDIES = remedies();

    /** A remedy in the words of the libraries, which contain a name of the API, and as the shell has it. */
    private record Remedy(String name, Pattern java, String shell) {

        Remedy(String name, String java, String shell) {
            this(name, Pattern.compile(java), shell);
        }

        String in(String text) {
            return text.contains(name) ? java.matcher(text).replaceAll(shell) : text;
        }
    }

    private ShellWords() {}

    /**
     * Translates the remedies in a message.
     *
     * @param text any text, of one line or several
     * @return the text with commands in place of calls; the text itself if it names none
     */
    public static String of(String text) {
        String translated = text;
        for (int i = 0; i < REMEDIES.size(); i++) {
            translated = REMEDIES.get(i).in(translated);
        }
        return translated;
    }

    /**
     * Translates the remedies in a message of a node, without those for another kind of cluster.
     *
     * @param text any text, of one line or several
     * @param node the name of the node
     * @param isAgreed whether the nodes of its cluster may change
     * @return the text with commands in place of calls
     */
    public static String of(String text, String node, boolean isAgreed) {
        String own = isAgreed ? text.replace(FOR_FIXED_NODES, "") : text.replace(FOR_OTHERS, "");
        return of(own.replace(
                "membership().replace for this node", "membership().replace(new NodeId(\"" + node + "\"))"));
    }

    /** Those with the name of a node are the last ones, so that no name is translated. */
    private static List<Remedy> remedies() {
        List<Remedy> all = new ArrayList<>(List.of(
                new Remedy("a Topology", "\\bin place of a Topology\\b", "in place of --peers"),
                new Remedy("in place of the fixed list", "\\bin place of the fixed list\\b", "in place of --peers"),
                new Remedy("Membership.bootstrap", "(?<![\\w.\"-])Membership\\.bootstrap(?= lists )", "--bootstrap"),
                new Remedy("another NodeId", "(?<=\\b(?:choose|with) )another NodeId\\b", "another --id"),
                new Remedy(
                        "another Transport", "(?<=\\b(?:it|they) use )another Transport(?=\\?)", "another --transport"),
                new Remedy(
                        "Rebuild.begin",
                        "\\bstart the node after Rebuild\\.begin\\b",
                        "start the server with --rebuild"),
                new Remedy("Rebuild.begin", "(?<=\\bwithout )Rebuild\\.begin\\b", "--rebuild"),
                new Remedy("ClusterBuilder.refill", "\\(ClusterBuilder\\.refill\\)", "(--refill-without)"),
                new Remedy("start the JVM with -Xmx", "\\bstart the JVM with (?=-Xmx\\d)", "set DHT_JAVA_OPTS="),
                new Remedy("(-Xmx)", "(?<=\\bmore memory )\\(-Xmx\\)", "(-Xmx in DHT_JAVA_OPTS)"),
                new Remedy(
                        "thenApplyAsync",
                        "\\brun what blocks on a thread of the application, for example with thenApplyAsync in place of"
                                + " thenApply",
                        "the processors are too busy, or the JVM collects garbage for long"),
                new Remedy("maxValueBytes", "(?<=, or lower )maxValueBytes\\b", "--max-value-bytes"),
                new Remedy("maxConnections", "(?<=, or lower )maxConnections\\b", "--max-connections"),
                new Remedy("operations().repair", "\\(operations\\(\\)\\.repair\\)", "(./dht repair)"),
                new Remedy(
                        "operations().repairStatus",
                        ": operations\\(\\)\\.repairStatus(?= shows why)",
                        ": ./dht repair"),
                new Remedy("MembershipStatus.members()", "\\bMembershipStatus\\.members\\(\\)", "./dht nodes"),
                new Remedy("MembershipStatus.metadata()", "\\bMembershipStatus\\.metadata\\(\\)", "./dht meta"),
                new Remedy("MembershipStatus.moves()", "\\bMembershipStatus\\.moves\\(\\)", "./dht rebalance --status"),
                new Remedy(
                        "acceptDataLoss",
                        "\\brepeat the change with acceptDataLoss\\b",
                        "repeat the command with --accept-data-loss"),
                new Remedy("acceptDataLoss", "\\bWith acceptDataLoss(?= this goes on\\b)", "With --accept-data-loss"),
                new Remedy("MembershipChange.Recover", "\\buse MembershipChange\\.Recover\\b", "./dht meta recover"),
                new Remedy(
                        "MembershipChange.Update",
                        "\\bfirst with a MembershipChange\\.Update\\b",
                        "first with ./dht nodes address"),
                new Remedy(
                        "MembershipChange.Rebalance",
                        "\\bmembership\\(\\)\\.change\\(MembershipChange\\.Rebalance\\.resume\\(\\)\\)",
                        "./dht rebalance --resume"),
                new Remedy(
                        "Membership.",
                        BEFORE_MEMBERSHIP + "Membership\\.(join|bootstrap)(?! of " + NAME + "=|[\\w(=\"-]|\\.\\w)",
                        "--$1"),
                new Remedy(
                        "Membership.",
                        BEFORE_MEMBERSHIP + "Membership\\.(join|bootstrap) of (?=" + NAME + "=)",
                        "--$1 "),
                new Remedy(
                        "MembershipChange.Update",
                        "\\bcall membership\\(\\)\\.change with a MembershipChange\\.Update of (\\S{1,64}) to the"
                                + " address (?=\\S)",
                        "run ./dht nodes address $1 "),
                new Remedy(
                        "MembershipChange.Recover",
                        "\\bcall membership\\(\\)\\.change with a MembershipChange\\.Recover of (?=\\w)",
                        "run ./dht meta recover --lost ")));
        String call = "\\bmembership\\(\\)\\.(add|remove|replace)(?![\\w(])";
        String callWithName = "\\bmembership\\(\\)\\.(add|remove|replace)\\(new NodeId\\(\"(" + NAME + ")\"\\)\\)";
        all.add(new Remedy("membership()", "\\bcall " + call, "run ./dht nodes $1"));
        all.add(new Remedy("membership()", call, "./dht nodes $1"));
        all.add(new Remedy("membership()", "\\bcall " + callWithName, "run ./dht nodes $1 $2"));
        all.add(new Remedy("membership()", callWithName, "./dht nodes $1 $2"));
        return List.copyOf(all);
    }
}
