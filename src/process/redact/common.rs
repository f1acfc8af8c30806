//! Ordinary words that occur as values of variables. Masking them would only make output harder to read.

/// Words of eight letters and more, in small letters: shorter values are never masked.
const WORDS: &str = "\
    accepted actively activity actually addition administrator advanced allocated alphabetical although \
    amazonaws analysis anonymous anything application applications approved architecture argument \
    arguments artifact artifacts assembly attribute attributes authenticate authenticated authentication \
    authority authorization authorized automated automatic automatically available background balanced \
    baseline behavior behaviour benchmark bitbucket blacklist bookworm branches building business \
    calculate callback canceled cancelled candidate capacity category certificate certificates changeit \
    changelog changeme character characters checkout children chromium clipboard cloudflare collection \
    combined commands comments commercial committed community compiled compiler complete completed \
    completely component components compressed compression computed computer condition configuration \
    configure configured conflict connected connection connections consider constant constraint consumer \
    contained container containers contains contents continue continuous contract contribution controlled \
    controller convention conversion corporate correctly coverage credential credentials criteria \
    critical currency currently customer dashboard database databases datacenter deadline debugging \
    december decision declared decrypted dedicated defaults definition delegate delivery dependencies \
    dependency deployed deployment deprecated describe described description designed destination \
    detailed detected determine developer developers development diagnostics dictionary difference \
    different digitalocean direction directly directory disabled disconnected discovery distributed \
    distribution document documentation documents download downloads duplicate duration dynamically \
    ecosystem editorial education effective electron elements elsewhere embedded emergency employee \
    encoding encrypted encryption endpoint endpoints enforced enforcing engineering enterprise \
    environment environments ephemeral essential evaluate evaluation everyone everything exception \
    exceptions exchange excluded executable execution exercise existing expected experience experiment \
    experimental expiration explicit exported expression extended extension extensions external facebook \
    fallback features february filename filesystem finished firebase firewall following football \
    forbidden foreground formatted foundation fragment framework frequency function functional functions \
    generate generated generation generator githubusercontent graphical greeting guaranteed guidelines \
    handling hardware headless heuristic hierarchy highlight historical hostname identical identifier \
    identity immediate immediately immutable implement implementation implemented implicit important \
    imported improved incident included includes including incoming incomplete increase increment \
    incremental independent indicator individual industry information informational infrastructure \
    inherited initialize initialized injected insecure inserted installation installed instance instances \
    instruction instructions insufficient integration integrations integrity intelligent interactive \
    interface interfaces intermediate internal international internet interval isolated iteration \
    javascript keyboard keychain keycloak keywords kubernetes language languages leadership libraries \
    lifecycle lifetime lightweight listening localhost localization localized location locations \
    lowercase machines maintainer maintenance majority management mandatory manifest manually marketing \
    measured measurement mechanism membership merchant messages metadata microservice microservices \
    microsoft middleware migration migrations milliseconds minified moderate modified modifier monitoring \
    mountain multipart multiple namespace national navigation necessary negative networking networks \
    nonexistent normally notebook notification notifications november nullable numerical obsolete \
    official operation operations operator optimized optional orchestrator ordinary organization original \
    outgoing overridden override overview packages parallel parallelism parameter parameters partition \
    passphrase passport password passwords patterns payments performance periodic permanent permission \
    permissions permissive persistence persistent personal pipeline pipelines placeholder platform \
    platforms playground playwright policies portable position positive possible postgres postgresql \
    practice preferences preferred prefixed prepared presence previous primarily principal priority \
    privileged procedure processed processes processing processor producer production products profiles \
    programs progress prohibited projects prometheus properties property protected protection protocol \
    protocols prototype provided provider providers provisioned publicly published publisher puppeteer \
    purchase quarterly question rabbitmq reachable readonly readwrite received receiver recommended \
    recovery recursive redirect reference references regional register registered registration registry \
    regression rejected relation relational relative released releases relevant reliability reliable \
    remaining remotely rendering repeated replacement replicas replication reported reporting \
    repositories repository represent requested requests required requirement requirements reserved \
    resolution resolved resource resources response responses restricted retrieve retrieved reviewer \
    revision rotation sandboxed schedule scheduled scheduler screenshot secondary secretsmanager security \
    selected selection selenium self-hosted semantic separate separated separator september sequence \
    sequential serialized serverless services sessions settings severity signature signatures simplified \
    simulate simulated simulator singleton snapshot snapshots software solution somebody something \
    sometimes specific specification specified spreadsheet standalone standard standards starting \
    statement statically statistics strategies strategy streaming strength structure structured students \
    stylesheet subdomain subfolder submitted subnetwork subprocess subscribe subscription subsystem \
    succeeded successful successfully sufficient superuser supervisor supported surrounding suspended \
    symmetric synchronize synchronized synchronous synthetic technical technology template templates \
    temporal temporarily temporary terminal terminate terminated terraform thousand threshold throughput \
    timestamp timezone together toolchain traditional transaction transactions transfer transform \
    transformation transition translate translated translation transparent transport traversal triggered \
    tutorial typescript ultimate unauthenticated unauthorized unchanged undefined underlying understand \
    unencrypted unexpected universal university unlimited unmanaged unprivileged unrestricted unsupported \
    untrusted uppercase username utilities validate validated validation validator variable variables \
    variation vendored verification verified versions visibility visualize volatile warnings watchdog \
    webhooks whatever whitelist wildcard wireless workaround workflow workflows workload workspace \
    workspaces worldwide x-oauth-basic yesterday";

/// Whether a value is such a word and nothing else, in any case.
pub(super) fn is_common_word(value: &str) -> bool {
    let lower = value.to_lowercase();
    WORDS.split_ascii_whitespace().any(|word| word == lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_found_in_any_case_and_alone() {
        for word in ["disabled", "Production", "PASSWORD", "accepted", "yesterday"] {
            assert!(is_common_word(word), "{word}");
        }
        for other in ["disabled1", "disabled enabled", "", "ghp_disabled"] {
            assert!(!is_common_word(other), "{other}");
        }
        assert!(WORDS.split_ascii_whitespace().all(|word| word.len() >= 8 && word.is_ascii()));
    }
}
